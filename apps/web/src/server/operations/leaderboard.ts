import {
  bestQuerySchema,
  bestVariantSchema,
  groupedQuerySchema,
  heatMapSchema,
  leaderboardQuerySchema,
  leaderboardSchema,
  portabilityQuerySchema,
  portabilitySchema,
} from '@tilemark/core';
import { formatQuery, ok, operation, TABLE_TYPES } from './operation';

/** What the ranked results say. */
export const leaderboardOperations = {
  getLeaderboard: operation({
    method: 'GET',
    path: '/leaderboard',
    summary: 'The best verified result of each device on one problem, ranked.',
    access: 'read',
    caching: 'revalidate',
    query: leaderboardQuerySchema.extend(formatQuery),
    answer: { ...ok(leaderboardSchema), types: TABLE_TYPES },
  }),
  getHeatMap: operation({
    method: 'GET',
    path: '/leaderboard/heat-map',
    summary: 'The best of each kernel on each device, on one problem. `groups=gpu,software`.',
    access: 'read',
    caching: 'revalidate',
    query: groupedQuerySchema.extend(formatQuery),
    answer: { ...ok(heatMapSchema), types: TABLE_TYPES },
  }),
  getPortability: operation({
    method: 'GET',
    path: '/leaderboard/portability',
    summary:
      'For each variant the geometric mean of its part of the best over devices, and what it costs each device to run one variant everywhere (`ship`, an address).',
    access: 'read',
    caching: 'revalidate',
    query: portabilityQuerySchema.extend(formatQuery),
    answer: { ...ok(portabilitySchema), types: TABLE_TYPES },
  }),
  getBest: operation({
    method: 'GET',
    path: '/best',
    summary:
      'The variant to run for a problem (`m`, `n`, `k` or `rows`, `cols`) on a GPU, with its WGSL: decided by ranked results of the device, else by what ships for such devices, else by results of its architecture, its vendor, or all GPUs, on this problem or the nearest.',
    access: 'read',
    caching: 'revalidate',
    query: bestQuerySchema,
    refusals: { 404: 'No ranked result can say what to run.' },
    answer: ok(bestVariantSchema),
  }),
} as const;
