import type { Prisma } from '@tilemark/db';

/** No other key begins so: those of requests begin with a token's id, those of back-fills with a suite. */
const PREFIX = 'import ';

/** The idempotency key of the sweep that keeps a file, by the SHA-256 of its content. */
export const importKey = (contentHash: string): string => `${PREFIX}${contentHash}`;

/** Whether a sweep keeps a file, of which nothing was run here. */
export const isImported = ({ idempotencyKey }: { readonly idempotencyKey: string | null }) =>
  idempotencyKey?.startsWith(PREFIX) ?? false;

/** Sweeps that were asked of the grid. */
export const NOT_IMPORTED = {
  OR: [{ idempotencyKey: null }, { NOT: { idempotencyKey: { startsWith: PREFIX } } }],
} satisfies Prisma.SweepWhereInput;
