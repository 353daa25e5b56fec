import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Owner, systemUser } from '../services/system-user';

/** Runs kernels that people bring, and owns nothing. */
const USER = 'tilemark-kernels';
const RENDER_NODES = '/dev/dri';

/** Flags of a worker for kernels that people bring, and why it takes none. */
export interface Contributed {
  readonly flags: readonly string[];
  readonly refusal: string | null;
}

/**
 * Who runs the kernels that people bring to this machine: whoever starts the grid, but for root a
 * system user. What its drivers may use is the group of the GPUs; caches of shaders it has none.
 *
 * @param program what it has to read, besides Node
 */
export async function contributedFlags(program: string): Promise<Contributed> {
  // Nothing ends an endless loop of a shader there.
  if (process.platform === 'darwin') return { flags: [], refusal: null };
  if (process.getuid?.() !== 0) return { flags: ['--contributed'], refusal: null };
  const user = await systemUser(USER);
  const refused = (why: string): Contributed => ({
    flags: [],
    refusal: `Kernels that people bring are not run here: ${why}. Start the grid as another user than root.`,
  });
  if (!user) return refused(`they do not run as root, and user "${USER}" could not be made`);
  const account = { uid: user.uid, gid: (await gpuGroup()) ?? user.gid };
  if (!(await canRead(program, account))) {
    return refused(`they run as user "${USER}", who cannot read ${program}`);
  }
  const { gid, uid } = account;
  return { flags: ['--contributed', '--contributed-as', `${uid}:${gid}`], refusal: null };
}

/** The group that may use GPUs, where not everybody may; null where there is none. */
async function gpuGroup(): Promise<number | null> {
  const names = await readdir(RENDER_NODES).catch(() => []);
  const node = names.find((name) => name.startsWith('renderD'));
  return node === undefined ? null : (await stat(join(RENDER_NODES, node))).gid;
}

const canRead = (program: string, account: Owner): Promise<boolean> =>
  promisify(execFile)(process.execPath, ['--check', program], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );
