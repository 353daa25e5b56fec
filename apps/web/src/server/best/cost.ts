import { type Question, questionFields, questionSchema } from '@tilemark/core';
import { parseQuery, queryObject } from '@/ui/query';
import { COSTS } from '../session/reads';
import { EXAMPLE } from './example';

/** A row takes this much of the process, ms, where nothing is kept of it. */
export const ROW_MS = 40;

/** The cost of the table of `/api/v1`; one that is refused takes little. */
export function tableCost(query: URLSearchParams): number {
  const { format: _, ...asked } = queryObject(query);
  return costOf(questionSchema.safeParse(asked).data);
}

/**
 * The cost of the page. It answers what is left of a query without its faults; Next keeps some names
 * that are no fields from it, and `rows` says how many are shown.
 */
export function pageCost(query: URLSearchParams): number {
  const { rows: _, ...given } = queryObject(query);
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(questionFields.shape, name));
  const { query: asked } = parseQuery(questionSchema, Object.fromEntries(known));
  return costOf(asked.shapes.length > 0 ? asked : { ...asked, shapes: EXAMPLE[asked.op] });
}

/** That of its rows, which one variant for all ranks twice, and of a page at least. */
const costOf = (asked?: Pick<Question, 'gpus' | 'one' | 'shapes'>): number => {
  const rows = (asked?.shapes.length ?? 0) * Math.max(asked?.gpus.length ?? 0, 1);
  return Math.max(ROW_MS * (asked?.one ? 2 : 1) * rows, COSTS.page);
};
