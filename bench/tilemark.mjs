import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the bundled program is after `npm run build`. */
export const BUNDLED = new URL('../apps/worker/dist/main.mjs', import.meta.url).pathname;

/**
 * One run of `tilemark bench`: what its file holds, also where it exits with 1 because a
 * result is wrong or has failed, which the results tell. Throws Error with what it said on
 * standard error where it wrote no file.
 *
 * @param {string} program the bundled `main.mjs`
 * @param {readonly string[]} args
 */
export function bench(program, args) {
  return fileOf(program, ['bench', ...args]);
}

/**
 * One run of `tilemark tune`: what its file holds, the winner first. Throws as `bench` does.
 *
 * @param {string} program the bundled `main.mjs`
 * @param {readonly string[]} args
 */
export function tune(program, args) {
  return fileOf(program, ['tune', ...args]);
}

/** 'a/b[X=1,Y=2]' as the flags of `tilemark bench`. */
export function variantFlags(address) {
  const [, kernel, tunables = ''] = /^([^[]+)(?:\[(.*)\])?$/.exec(address) ?? [];
  const settings = tunables.split(',').filter(Boolean);
  return ['--kernel', kernel, ...(settings.length > 0 ? ['--tunable', ...settings] : [])];
}

async function fileOf(program, command) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const json = join(folder, 'results.json');
  try {
    const said = await stderrOf([program, ...command, '--json', json]);
    const text = await readFile(json, 'utf8').catch(() => null);
    if (text === null) throw new Error(said.trim() || `tilemark ${command[0]} wrote nothing`);
    return JSON.parse(text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function stderrOf(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}

/** Shapes with no side above `largest`, each once: `4096x4096x64` of 256 is `256x256x64`. */
export function capped(shapes, largest) {
  const each = shapes.split(',').map((shape) =>
    shape
      .split('x')
      .map((side) => Math.min(Number(side), largest))
      .join('x'),
  );
  return [...new Set(each)].join(',');
}

/** What was measured, on what and when: a line above a table. */
export function headLine({ device, driver, runtimeVersions }) {
  const versions = Object.entries(runtimeVersions).map(([name, version]) => `${name} ${version}`);
  return `${[device.device, driver, ...versions].join(', ')}, ${new Date().toISOString()}`;
}
