import { bestQuerySchema } from '@tilemark/core';
import type { z } from 'zod';

/** Names of the dimensions in queries, by op. */
export const DIMENSIONS = { matmul: ['m', 'n', 'k'], transpose: ['rows', 'cols'] } as const;
const ALL = [...DIMENSIONS.matmul, ...DIMENSIONS.transpose];

/**
 * What the address of the page may ask: a whole problem, or none yet. Dimensions of
 * another op are no answerable question.
 */
export const bestPageQuerySchema = bestQuerySchema.superRefine((query, context) => {
  const own: readonly string[] = DIMENSIONS[query.op];
  const isAsked = ALL.some((name) => query[name] !== undefined);
  for (const name of ALL) {
    if (own.includes(name) && isAsked && query[name] === undefined) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `${query.op} takes ${own.join(', ')}`,
      });
    }
    if (!own.includes(name) && query[name] !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `it is no dimension of ${query.op}`,
      });
    }
  }
});
export type BestPageQuery = z.output<typeof bestPageQuerySchema>;
