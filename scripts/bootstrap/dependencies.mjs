import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Runs before anything is installed, so this file uses Node's own modules only. */

const OLDEST_NODE = [20, 19];

/** Exits with one clear line where Node is older than what the dependencies support. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantMajor, wantMinor] = OLDEST_NODE;
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return;
  console.error(
    `Tilemark needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** True when node_modules was installed from the lockfile as it is now. */
export const dependenciesInstalled = (root) =>
  modifiedMs(join(root, 'node_modules', '.package-lock.json')) >=
  modifiedMs(join(root, 'package-lock.json'));

/**
 * Installs what the lockfile says, without writing to it; exits with npm's own message when it
 * fails. Not `npm ci`: that refuses a lockfile made where other platforms' optional binaries
 * were not to be had, and installs the same versions otherwise.
 */
export function installDependencies(root) {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(
    isWindows ? 'npm.cmd' : 'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows },
  );
  if (status === 0) return;
  console.error('npm install failed, see above. Mend that and try again.');
  process.exit(1);
}

/** Generates the database client where it is missing or older than the schema. */
export function generateClient(root) {
  const generated = join(root, 'prisma', 'generated', 'client.ts');
  if (modifiedMs(generated) >= modifiedMs(join(root, 'prisma', 'schema.prisma'))) return;
  const { status } = spawnSync(process.execPath, [join(root, 'prisma', 'generate.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
