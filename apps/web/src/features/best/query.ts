import { bestQuerySchema } from '@tilemark/core';
import {
  type DimensionName,
  dimensionNames,
  dimensionsText,
  InputError,
  type OpId,
  opById,
  parseShape,
} from '@tilemark/kernels';
import { z } from 'zod';

/** Names of an op's dimensions in queries. */
export const dimensionsOf = (op: OpId): DimensionName[] =>
  opById(op).dimensions.map(({ name }) => name as DimensionName);

/**
 * The page's query: a whole problem, dimension by dimension or as the `shape` of the other pages
 * (`512`, `512x256x128`), or none yet. Dimensions of another op are refused.
 */
export const bestPageQuerySchema = bestQuerySchema
  .extend({ shape: z.string().max(60).optional() })
  .superRefine((query, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const own = dimensionsOf(query.op);
    const given = dimensionNames().filter((name) => query[name] !== undefined);
    for (const name of given) {
      if (!own.includes(name)) refuse(name, `${query.op} has no such dimension`);
    }
    if (query.shape !== undefined) {
      if (given.length > 0) refuse('shape', `give either shape or ${own.join(', ')}`);
      const refused = refusedShape(query.op, query.shape);
      if (refused) refuse('shape', refused);
    } else if (given.length > 0) {
      for (const name of own) {
        if (query[name] === undefined) refuse(name, `${query.op} takes ${own.join(', ')}`);
      }
    }
  })
  .transform(({ shape, ...query }) => {
    if (shape === undefined) return query;
    const sizes = opById(query.op).sizes(parseShape(query.op, shape));
    const names = dimensionsOf(query.op);
    return { ...query, ...Object.fromEntries(names.map((name, index) => [name, sizes[index]])) };
  });
export type BestPageQuery = z.output<typeof bestPageQuerySchema>;

/** Why a text is not a shape of an op; null if it is one. */
function refusedShape(op: OpId, text: string): string | null {
  try {
    parseShape(op, text);
    return null;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return `${op} takes ${dimensionsText(op)}, or one number if all are equal`;
  }
}
