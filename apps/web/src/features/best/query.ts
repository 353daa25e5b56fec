import { bestQuerySchema } from '@tilemark/core';
import {
  type Dimension,
  type DimensionName,
  dimensionNames,
  dimensionsText,
  faultOf,
  isInputError,
  type OpId,
  opById,
  parseShape,
  type Shape,
} from '@tilemark/kernels';
import { z } from 'zod';

/** Names of an op's dimensions in queries, and the sizes of those that may be left out. */
export const dimensionsOf = (op: OpId) =>
  opById(op).dimensions as readonly Dimension<DimensionName>[];

/** The sizes of a query's dimensions, for a shape; those that it has not said are 1024. */
export const sizesOf = (query: BestPageQuery): number[] =>
  dimensionsOf(query.op).map((each) => query[each.name] ?? each.default ?? 1024);

/**
 * The page's query: a whole problem, dimension by dimension or as the `shape` of the other pages
 * (`512`, `512x256x128`), or none yet. Dimensions of another op are refused.
 */
export const bestPageQuerySchema = bestQuerySchema
  .extend({
    shape: z.string().max(60).optional(),
    /** All lines of a long shader. */
    show: z.literal('wgsl').optional(),
  })
  .superRefine((query, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const dimensions = dimensionsOf(query.op);
    const sides = dimensions.filter((each) => each.default === undefined).map(({ name }) => name);
    const given = dimensionNames().filter((name) => query[name] !== undefined);
    for (const name of given) {
      if (!dimensions.some((each) => each.name === name)) {
        refuse(name, `${query.op} has no such dimension`);
      }
    }
    if (query.shape !== undefined) {
      if (given.length > 0) refuse('shape', `give either shape or ${sides.join(', ')}`);
      const refused = refusedShape(query.op, query.shape);
      if (refused) refuse('shape', refused);
    } else if (given.length > 0) {
      for (const name of sides) {
        if (query[name] === undefined) refuse(name, `${query.op} takes ${sides.join(', ')}`);
      }
    }
    if (context.issues.length > 0) return;
    const { shape } = opById(query.op);
    const asked =
      query.shape === undefined ? shape(sizesOf(query)) : parseShape(query.op, query.shape);
    const fault = faultOf(query.op, asked as Shape, query.dtype);
    if (fault) refuse(fault.field, fault.reason);
  })
  .transform(({ shape, ...query }) => {
    if (shape === undefined) return query;
    return { ...query, ...parseShape(query.op, shape) };
  });
export type BestPageQuery = z.output<typeof bestPageQuerySchema>;

/** Why a text is not a shape of an op; null if it is one. */
function refusedShape(op: OpId, text: string): string | null {
  try {
    parseShape(op, text);
    return null;
  } catch (error) {
    if (!isInputError(error)) throw error;
    return `${op} takes ${dimensionsText(op)}, or one number if all are equal`;
  }
}
