import { createHash } from 'node:crypto';

/** Answers of the store are shared between readers: each is hashed once. */
const etags = new WeakMap<object, string>();

/** ETag of an answer: equal for equal JSON, so that a page and the API agree on what is new. */
export function etagOf(data: unknown): string {
  const kept = typeof data === 'object' && data !== null ? etags.get(data) : undefined;
  if (kept) return kept;
  const hash = createHash('sha256').update(JSON.stringify(data)).digest('base64url');
  const etag = `"${hash.slice(0, 22)}"`;
  if (typeof data === 'object' && data !== null) etags.set(data, etag);
  return etag;
}
