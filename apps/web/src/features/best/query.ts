import { bestQuerySchema } from '@tilemark/core';
import { InputError, type OpId, opById, parseShape } from '@tilemark/kernels';
import { z } from 'zod';

/** Names of the dimensions in queries, by op. */
export const DIMENSIONS = { matmul: ['m', 'n', 'k'], transpose: ['rows', 'cols'] } as const;
const ALL = [...DIMENSIONS.matmul, ...DIMENSIONS.transpose];

/**
 * What the address of the page may ask: a whole problem, dimension by dimension or as the
 * `shape` of the other pages (`512`, `512x256x128`), or none yet. Dimensions of another op
 * are no answerable question.
 */
export const bestPageQuerySchema = bestQuerySchema
  .extend({ shape: z.string().max(60).optional() })
  .superRefine((query, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const own: readonly string[] = DIMENSIONS[query.op];
    const given = ALL.filter((name) => query[name] !== undefined);
    for (const name of given) {
      if (!own.includes(name)) refuse(name, `it is no dimension of ${query.op}`);
    }
    if (query.shape !== undefined) {
      if (given.length > 0) refuse('shape', `it stands for ${own.join(', ')}, which are given too`);
      const refused = refusedShape(query.op, query.shape);
      if (refused) refuse('shape', refused);
    } else if (given.length > 0) {
      for (const name of DIMENSIONS[query.op]) {
        if (query[name] === undefined) refuse(name, `${query.op} takes ${own.join(', ')}`);
      }
    }
  })
  .transform(({ shape, ...query }) => {
    if (shape === undefined) return query;
    const sizes = opById(query.op).sizes(parseShape(query.op, shape));
    const names = DIMENSIONS[query.op];
    return { ...query, ...Object.fromEntries(names.map((name, index) => [name, sizes[index]])) };
  });
export type BestPageQuery = z.output<typeof bestPageQuerySchema>;

/** Why a text is no shape of an op; null where it is one. */
function refusedShape(op: OpId, text: string): string | null {
  try {
    parseShape(op, text);
    return null;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return `${op} takes ${opById(op).dimensions.join('x')}, or one number where all are equal`;
  }
}
