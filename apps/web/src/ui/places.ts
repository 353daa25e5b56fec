/** Where one can go, by address and name. */
export const PLACES = [
  ['/', 'Leaderboard'],
  ['/best', 'Best kernel'],
  ['/sweeps', 'Sweeps'],
  ['/kernels', 'Kernels'],
  ['/devices', 'Devices'],
  ['/workers', 'Workers'],
  ['/coverage', 'Coverage'],
  ['/docs', 'Docs'],
] as const;

/** Where admins can go besides. */
export const ADMIN_PLACES = [
  ['/tokens', 'Tokens'],
  ['/audit', 'Audit'],
] as const;
