import {
  DEVICE_GROUPS,
  type DeviceClass,
  deviceClassSchema,
  leaderboardQuerySchema,
} from '@tilemark/core';
import { OPS, parseShape } from '@tilemark/kernels';
import { z } from 'zod';
import { formatShape } from '@/ui/format';
import type { Rest } from '@/ui/table';

const VIEWS = ['devices', 'heatmap', 'portability'] as const;
export type View = (typeof VIEWS)[number];

const groupSchema = z.enum([...DEVICE_GROUPS, 'contributed', 'reference']);
export type Group = z.infer<typeof groupSchema>;

/** What a group of rows is called, in the order in which they are listed. */
export const GROUP_TITLES: readonly (readonly [group: Group, title: string])[] = [
  ['gpu', 'GPUs'],
  ['browser', 'Browsers'],
  ['software', 'Software adapters'],
  ['cpu', 'Host CPUs'],
  ['contributed', 'Contributed'],
  ['reference', 'Reference (measured elsewhere)'],
];

/** Groups that a view has nothing of. */
export const WITHOUT: Readonly<Record<View, readonly Group[]>> = {
  devices: [],
  heatmap: ['contributed'],
  portability: ['contributed', 'reference'],
};

/** What the address of the leaderboard may ask. */
export const boardQuerySchema = leaderboardQuerySchema
  .extend({
    view: z.enum(VIEWS).default('devices'),
    /** Written as `gpu,software` or given several times. */
    groups: z
      .string()
      .max(120)
      // What the group was called before it had more than published reports.
      .transform((text) => text.replace('published', 'reference').split(','))
      .pipe(z.array(groupSchema))
      .optional(),
    /** The device of the first screen's map. */
    map: z.string().max(300).optional(),
    /** Of the portability view: the variant to run everywhere. */
    ship: z.string().max(400).optional(),
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

/** The classes of device among the groups that are asked for; absent as they are. */
export const classesOf = (groups: BoardQuery['groups']): DeviceClass[] | undefined =>
  groups?.flatMap((group) => {
    const kind = deviceClassSchema.safeParse(group);
    return kind.success ? [kind.data] : [];
  });

/** What a board is of: `Matrix multiply 2048 f32, profile fast`. */
export function boardTitle({ dtype, op, profile, shape, view }: BoardQuery): string {
  const kind =
    view === 'devices' ? '' : view === 'heatmap' ? ', devices × kernels' : ', portability';
  const size = shape === undefined ? '' : ` ${formatShape(shape)}`;
  return `${OPS[op].title}${size} ${dtype}, profile ${profile}${kind}`;
}

/** The address of the board with some of its query changed; null takes a name out. */
export function boardHref(
  query: BoardQuery,
  change: Partial<Record<keyof BoardQuery, string | null>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...change })) {
    if (value === undefined || value === null) continue;
    search.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return `/?${search}`;
}

/** How a view leaves out rows, and where all of them are. */
export const restOf = (query: BoardQuery, noun: string): Rest => ({
  noun,
  isAll: query.rows === 'all',
  allHref: boardHref(query, { rows: 'all' }),
});

function apiQuery(query: BoardQuery): URLSearchParams {
  const { view, groups, rows: _, map: __, ship, contributed = 'apart', ...problem } = query;
  const search = new URLSearchParams(
    Object.entries(problem).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  if (view === 'devices') search.set('contributed', contributed);
  const classes = classesOf(groups);
  if (view !== 'devices' && classes && classes.length > 0) search.set('groups', classes.join(','));
  if (view === 'portability' && ship !== undefined) search.set('ship', ship);
  return search;
}

const PATHS: Readonly<Record<View, string>> = {
  devices: '/api/v1/leaderboard',
  heatmap: '/api/v1/leaderboard/heat-map',
  portability: '/api/v1/leaderboard/portability',
};

/** Where the API answers with what a view shows. */
export const apiHref = (query: BoardQuery): string => `${PATHS[query.view]}?${apiQuery(query)}`;
