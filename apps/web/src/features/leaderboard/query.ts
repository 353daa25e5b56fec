import { groupedQuerySchema } from '@tilemark/core';
import { OPS, parseShape } from '@tilemark/kernels';
import { z } from 'zod';
import { formatShape } from '@/ui/format';
import type { Rest } from '@/ui/table';

const VIEWS = ['devices', 'portability'] as const;
export type View = (typeof VIEWS)[number];

/** What the address of the leaderboard may ask; `groups` of its portability. */
export const boardQuerySchema = groupedQuerySchema
  .extend({
    view: z.enum(VIEWS).default('devices'),
    /** The device of the first screen's map. */
    map: z.string().max(300).optional(),
    /** `all`: every row, however many. */
    rows: z.literal('all').optional(),
  })
  .superRefine(({ op, shape }, context) => {
    if (shape === undefined) return;
    try {
      parseShape(op, shape);
    } catch (error) {
      // Whatever a shape may be refused for, its message says so.
      if (!(error instanceof Error)) throw error;
      context.addIssue({ code: 'custom', path: ['shape'], message: error.message });
    }
  });
export type BoardQuery = z.output<typeof boardQuerySchema>;

/** What a board is of: `Matrix multiply 2048 f32, profile fast`. */
export function boardTitle({ dtype, op, profile, shape, view }: BoardQuery): string {
  const kind = view === 'devices' ? '' : ', portability';
  const size = shape === undefined ? '' : ` ${formatShape(shape)}`;
  return `${OPS[op].title}${size} ${dtype}, profile ${profile}${kind}`;
}

/** The address of the board with some of its query changed; null takes a name out. */
export const boardHref = (
  query: BoardQuery,
  change: Partial<Record<keyof BoardQuery, string | null>>,
): string => `/?${searchOf({ ...query, ...change })}`;

function searchOf(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search;
}

/** How a view leaves out rows, and where all of them are. */
export const restOf = (query: BoardQuery, noun: string): Rest => ({
  noun,
  isAll: query.rows === 'all',
  allHref: boardHref(query, { rows: 'all' }),
});

/** Where the API answers with what a view shows. */
export function apiHref({ groups, map, rows, view, ...problem }: BoardQuery): string {
  return view === 'devices'
    ? `/api/v1/leaderboard?${searchOf({ ...problem, contributed: 'apart' })}`
    : `/api/v1/leaderboard/portability?${searchOf({ ...problem, groups })}`;
}
