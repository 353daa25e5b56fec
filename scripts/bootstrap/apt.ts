import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aptForbidden, childEnvironment } from '../environment';

const run = promisify(execFile);

/** Packages to install with apt, or with a command that users without root are shown. */
export interface AptRequest {
  readonly packages: readonly string[];
  /** Whether they are too old in Debian 12 itself and come from its backports there. */
  readonly backportsOnDebian12?: boolean;
}

/** Whether packages may be installed here: Debian or Ubuntu, root, and not forbidden. */
export function aptAllowed(): boolean {
  return !aptForbidden() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

async function isDebian12(): Promise<boolean> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID=debian$/m.test(release) && /^VERSION_ID="12"$/m.test(release);
}

/** The command that a user would type, for machines where Tilemark may not install packages. */
export async function aptCommand(request: AptRequest): Promise<string> {
  const from = request.backportsOnDebian12 && (await isDebian12()) ? ' -t bookworm-backports' : '';
  return `apt-get install --no-install-recommends${from} ${request.packages.join(' ')}`;
}

/** The mirror of Debian's main archive in this machine's apt sources. */
async function debianMirror(): Promise<string> {
  const folder = '/etc/apt/sources.list.d';
  const names = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  for (const file of ['/etc/apt/sources.list', ...names]) {
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const block of text.split(/\n\s*\n/)) {
      // deb822: URIs and Suites on lines of their own; a one-line source names both on it.
      const uri = /^URIs:\s*(\S+)/m.exec(block)?.[1];
      if (uri && /^Suites:.*\bbookworm(\s|$)/m.test(block)) return uri;
      const line = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+bookworm\s/m.exec(block)?.[1];
      if (line) return line;
    }
  }
  throw new Error("This machine's apt sources have no mirror for Debian 12 (bookworm).");
}

/**
 * Installs packages with apt. Debian 12's backports are added for this one
 * installation and leave no trace in the machine's sources.
 */
export async function aptInstall(request: AptRequest): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'tilemark-apt-'));
  try {
    const options: string[] = [];
    const target: string[] = [];
    if (request.backportsOnDebian12 && (await isDebian12())) {
      const listed = await readFile('/etc/apt/sources.list', 'utf8').catch(() => '');
      const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
      const list = join(scratch, 'sources.list');
      await writeFile(
        list,
        `${listed}\ndeb [signed-by=${keyring}] ${await debianMirror()} bookworm-backports main\n`,
      );
      options.push('-o', `Dir::Etc::SourceList=${list}`);
      target.push('-t', 'bookworm-backports');
    }
    const apt = (...args: string[]) => aptGet([...options, ...args]);
    await apt('update');
    await apt('install', '-y', '--no-install-recommends', ...target, ...request.packages);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Runs apt-get quietly; on failure, the error ends with the last lines of its output. */
async function aptGet(args: readonly string[]): Promise<void> {
  const env = childEnvironment({ DEBIAN_FRONTEND: 'noninteractive' });
  await run('apt-get', ['-q', ...args], { env, maxBuffer: 2 ** 26 }).catch(({ stdout, stderr }) => {
    throw new Error(`apt-get ${args.join(' ')} failed:\n${`${stdout}${stderr}`.slice(-2000)}`);
  });
}

export async function onPath(command: string): Promise<boolean> {
  return run('which', [command]).then(
    () => true,
    () => false,
  );
}
