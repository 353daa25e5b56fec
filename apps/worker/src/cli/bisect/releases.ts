import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { z } from 'zod';

/** The npm package of Dawn for Node. */
const PACKAGE = 'webgpu';

/** Prereleases are left out. */
const RELEASE = /^\d+\.\d+\.\d+$/;

/** The registry's releases from one (absent: its oldest) to another, the oldest first. Throws InputError. */
export async function releasesBetween(from: string | undefined, to: string): Promise<string[]> {
  const listed = await npm(['view', PACKAGE, 'versions', '--json']);
  const releases = z
    .array(z.string())
    .parse(JSON.parse(listed))
    .filter((release) => RELEASE.test(release))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const first = from === undefined ? 0 : indexIn(releases, from, '--from');
  const last = indexIn(releases, to, '--to');
  if (last > first) return releases.slice(first, last + 1);
  throw new InputError(`must be newer than --from ${releases[first]}`, '--to');
}

function indexIn(releases: readonly string[], release: string, flag: string): number {
  const index = releases.indexOf(release);
  if (index >= 0) return index;
  throw new InputError(
    `${PACKAGE} has no release ${release}. Releases: ${releases.join(', ')}`,
    flag,
  );
}

/**
 * Installs a release into a folder of its own unless it is there. Its install scripts do not run.
 * Returns the folder of the package.
 */
export async function installRelease(folder: string, release: string): Promise<string> {
  const installed = join(folder, 'node_modules', PACKAGE);
  if ((await versionIn(installed)) === release) return installed;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
  await npm(['install', '--prefix', folder, '--ignore-scripts', ...quiet, `${PACKAGE}@${release}`]);
  return installed;
}

/** The version in a folder; null if it is not, or not wholly, installed. */
async function versionIn(installed: string): Promise<string | null> {
  const text = await readFile(join(installed, 'package.json'), 'utf8').catch(() => null);
  return text && z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

/** Runs npm and returns its output. Throws Error with npm's message. */
async function npm(args: readonly string[]): Promise<string> {
  const isWindows = process.platform === 'win32';
  try {
    const { stdout } = await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', [...args], {
      shell: isWindows,
    });
    return stdout;
  } catch (error) {
    const said = error instanceof Error ? String(Reflect.get(error, 'stderr') ?? '').trim() : '';
    throw new Error(`npm ${args[0]} failed: ${said || messageOf(error)}`);
  }
}
