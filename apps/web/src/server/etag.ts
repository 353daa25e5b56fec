import { createHash } from 'node:crypto';

/** ETag of an answer: equal for equal JSON, so that a page and the API agree on what is new. */
export const etagOf = (data: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)}"`;
