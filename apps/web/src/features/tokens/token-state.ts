import type { Token } from '@tilemark/core';

/** Whether a token still opens anything; `closed`: to those whom it has let in, and nobody new. */
export function tokenState(
  { closedAt, revokedAt, expiresAt }: Pick<Token, 'closedAt' | 'revokedAt' | 'expiresAt'>,
  now: Date,
): 'valid' | 'closed' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return 'expired';
  return closedAt === null ? 'valid' : 'closed';
}
