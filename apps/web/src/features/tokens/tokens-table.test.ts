import { expect, it } from 'vitest';
import { tokenState } from './tokens-table';

const now = new Date('2026-11-21T12:00:00Z');
const token = { revokedAt: null, expiresAt: null, closedAt: null };
const before = '2026-11-21T11:59:59Z';
const after = '2026-11-21T12:00:01Z';

it.each([
  [{}, 'valid'],
  [{ expiresAt: after }, 'valid'],
  [{ expiresAt: before }, 'expired'],
  [{ closedAt: before }, 'closed'],
  [{ closedAt: before, expiresAt: before }, 'expired'],
  [{ closedAt: before, revokedAt: before, expiresAt: before }, 'revoked'],
] as const)('%j is %s', (over, state) => {
  expect(tokenState({ ...token, ...over }, now)).toBe(state);
});
