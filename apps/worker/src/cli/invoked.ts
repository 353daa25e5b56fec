import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** How Deno runs it. */
const DENO = ['deno', 'run', '-A', '--unstable-webgpu'];

/**
 * A command line of this program, in the form in which the user called it: only that one is known to
 * work there.
 */
export function invoked(
  args: readonly string[],
  [, script = '']: readonly string[] = process.argv,
  folder = process.cwd(),
): string {
  return [...programOf(script, folder), ...args].map(quoted).join(' ');
}

/** Whether npx fetched the program and started it. */
export const isFromNpx = (script: string): boolean => /[\\/]_npx[\\/]/.test(script);

function programOf(script: string, folder: string): readonly string[] {
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  const [, cache] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(script) ?? [];
  const served = cache && packageIn(cache);
  if (served) return [npx, '-y', served];
  if (/[\\/]node_modules[\\/]\.bin[\\/]tilemark$/.test(script)) return [npx, 'tilemark'];
  if (basename(script) === 'tilemark') return ['tilemark'];
  const near = relative(folder, script);
  const program = 'deno' in process.versions ? DENO : ['node'];
  return [...program, near.length < script.length ? near : script];
}

/** The package that `npx` was asked to fetch, which it notes in the folder where it installs it. */
function packageIn(cache: string): string | undefined {
  try {
    const noted: { readonly _npx?: { readonly packages?: readonly string[] } } = JSON.parse(
      readFileSync(join(cache, 'package.json'), 'utf8'),
    );
    return noted._npx?.packages?.[0];
  } catch {
    // Another version of npm.
    return undefined;
  }
}

function quoted(argument: string): string {
  if (/^[\w./\\:@%+=,-]+$/.test(argument)) return argument;
  return process.platform === 'win32' ? `"${argument}"` : `'${argument.replaceAll("'", "'\\''")}'`;
}
