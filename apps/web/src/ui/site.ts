/** Pages of the main navigation, by address and name. */
export const PLACES = [
  ['/', 'Leaderboard'],
  ['/best', 'Best kernel'],
  ['/sweeps', 'Sweeps'],
  ['/kernels', 'Kernels'],
  ['/devices', 'Devices'],
  ['/workers', 'Workers'],
  ['/coverage', 'Coverage'],
  ['/compare', 'Compare'],
  ['/docs', 'Docs'],
] as const;

/** Further pages for admins. */
export const ADMIN_PLACES = [
  ['/tokens', 'Tokens'],
  ['/audit', 'Audit'],
] as const;

/** Where Bull Board is mounted. */
export const BOARD_PATH = '/queues';

/** Chosen in the header, kept in a cookie, read by the server: the first paint is right. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_COOKIE = 'tilemark-theme';

export const parseTheme = (value: string | undefined): Theme =>
  THEMES.find((theme) => theme === value) ?? 'system';

const LIT = new Set(['0,0', '1,1', '2,2', '2,0']);

/** The tiles of the mark, in a box of 20 by 20. */
export const MARK_TILES = [0, 1, 2].flatMap((row) =>
  [0, 1, 2].map((col) => ({ x: col * 7, y: row * 7, isLit: LIT.has(`${row},${col}`) })),
);
