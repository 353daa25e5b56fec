/** Systems whose shells take another form of the command. */
export const SYSTEMS = [
  { id: 'unix', name: 'Linux and macOS', npx: 'npx' },
  // PowerShell refuses npx.ps1 unless its policy was changed; `npx.cmd` runs in both.
  { id: 'windows', name: 'Windows, in PowerShell or the Command Prompt', npx: 'npx.cmd' },
] as const;
export type System = (typeof SYSTEMS)[number];

/**
 * What attaches a machine: the grid's own worker, with Node as all that it needs there. Nothing
 * in it is quoted, since no shell reads an origin or a token as anything else.
 */
export const attachCommand = (
  origin: string,
  token: string,
  { npx }: System = SYSTEMS[0],
): string => `${npx} -y ${origin}/worker.tgz --server ${origin} --token ${token}`;

/** What lists the devices of a machine, for `--device`. */
export const devicesCommand = (origin: string): string => `npx -y ${origin}/worker.tgz devices`;
