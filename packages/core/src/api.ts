/** The bodies of API v1: what routes answer, pages read and openapi.json describes. */

export * from './api/audit';
export * from './api/bench-file';
export * from './api/best';
export * from './api/counts';
export * from './api/coverage';
export * from './api/device';
export * from './api/health';
export * from './api/heat-map';
export * from './api/kernel';
export * from './api/leaderboard';
export * from './api/page';
export * from './api/portability';
export * from './api/problem-details';
export * from './api/published';
export * from './api/rate';
export * from './api/result';
export * from './api/roofline';
export * from './api/suite';
export * from './api/sweep';
export * from './api/token';
export * from './api/worker';
