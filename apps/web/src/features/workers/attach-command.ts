/** Systems whose shells take another form of the command. */
export const SYSTEMS = [
  { id: 'linux', name: 'Linux', npx: 'npx' },
  { id: 'macos', name: 'macOS', npx: 'npx' },
  // PowerShell refuses npx.ps1 unless its policy was changed.
  { id: 'windows', name: 'Windows', npx: 'npx.cmd' },
] as const;
export type System = (typeof SYSTEMS)[number];

/** What attaches a machine: the grid's own worker, with Node as all that it needs there. */
export const attachCommand = (
  origin: string,
  token: string,
  { npx }: System = SYSTEMS[0],
): string => `${npx} -y ${origin}/worker.tgz --server ${origin} --token ${token}`;

/** What lists the devices of a machine, for `--device`. */
export const devicesCommand = (origin: string): string => `npx -y ${origin}/worker.tgz devices`;
