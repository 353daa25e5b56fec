import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs before anything is installed, so this file uses Node's own modules only. */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Makes a checkout ready, installing what is missing; returns the arguments with which Node runs a
 * TypeScript program of scripts/ and hands it this process's own.
 */
export function programArguments(program) {
  requireNode();
  if (!dependenciesInstalled()) {
    console.log('  Installing dependencies (about a minute, once) ...');
    installDependencies();
  }
  generateClient();
  const typescript = new URL('./typescript.mjs', import.meta.url).href;
  return ['--import', typescript, join(root, 'scripts', program), ...process.argv.slice(2)];
}

const OLDEST_NODE = [20, 19];

/** Exits with one clear line if Node is older than the dependencies support. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantMajor, wantMinor] = OLDEST_NODE;
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return;
  console.error(
    `Tilemark needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether node_modules was installed from the current lockfile. */
const dependenciesInstalled = () =>
  modifiedMs(join(root, 'node_modules', '.package-lock.json')) >=
  modifiedMs(join(root, 'package-lock.json'));

/** Installs exactly what the lockfile lists; exits with npm's own message if that fails. */
function installDependencies() {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(
    isWindows ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows },
  );
  if (status === 0) return;
  console.error('npm ci failed (its message is above). Fix that and try again.');
  process.exit(1);
}

/** Generates the database client if it is missing or older than the schema. */
function generateClient() {
  const generated = join(root, 'prisma', 'generated', 'client.ts');
  if (modifiedMs(generated) >= modifiedMs(join(root, 'prisma', 'schema.prisma'))) return;
  const { status } = spawnSync(process.execPath, [join(root, 'prisma', 'generate.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
