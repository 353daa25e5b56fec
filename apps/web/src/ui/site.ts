/** Pages of the main navigation, by address and name. */
export const PLACES = [
  ['/', 'Leaderboard'],
  ['/kernels', 'Kernels'],
  ['/devices', 'Devices'],
  ['/sweeps', 'Sweeps'],
  ['/docs', 'Docs'],
] as const;

/** Pages that a place leads to, by the place under which they are marked. */
export const UNDER: Readonly<Record<string, string>> = {
  '/best': '/',
  '/chart': '/',
  '/results': '/sweeps',
};

export const SESSION_COOKIE = 'tilemark-session';

/** At the foot of every page. */
export const FOOTNOTE =
  'Every result measured by this grid is verified against a reference before and after timing; imported results are marked.';

const LIT = new Set(['0,0', '1,1', '2,2', '2,0']);

/** The tiles of the mark, in a box of 20 by 20. */
export const MARK_TILES = [0, 1, 2].flatMap((row) =>
  [0, 1, 2].map((col) => ({ x: col * 7, y: row * 7, isLit: LIT.has(`${row},${col}`) })),
);
