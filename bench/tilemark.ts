import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchFile, Environment } from '@tilemark/core';

const beside = new URL('../main.mjs', import.meta.url);

/** The built `tilemark`; bundled programs are in a folder beside it. */
export const TILEMARK = fileURLToPath(
  existsSync(beside) ? beside : new URL('../apps/worker/dist/main.mjs', import.meta.url),
);

/**
 * Runs a command of `tilemark` and resolves to the file that it writes, even if it exits with 1
 * because a result is incorrect or failed. If it wrote no file, throws Error with what it said.
 */
export async function tilemark(program: string, args: readonly string[]): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const json = join(folder, 'results.json');
  try {
    const said = await outputOf([program, ...args, '--json', json]);
    const text = await readFile(json, 'utf8').catch(() => null);
    if (text === null) throw new Error(said.trim() || `tilemark ${args[0]} wrote nothing`);
    return JSON.parse(text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The results of `tilemark bench` or `tilemark tune`. */
export const results = async (
  program: string,
  command: 'bench' | 'tune',
  args: readonly string[],
): Promise<BenchFile> => (await tilemark(program, [command, ...args])) as BenchFile;

/** What a program prints, to standard output and to standard error. */
function outputOf(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}

/** 'a/b[X=1,Y=2]' as flags of `tilemark bench`. */
export function variantFlags(address: string): string[] {
  const [, kernel = '', tunables] = /^([^[]+)(?:\[(.*)\])?$/.exec(address) ?? [];
  return ['--kernel', kernel, ...(tunables ? ['--tunable', ...tunables.split(',')] : [])];
}

/** Shapes with no side above `largest`, each once: `4096x4096x64` capped at 256 is `256x256x64`. */
export function capped(shapes: string, largest: number): string {
  const cap = (shape: string) => shape.split('x').map((side) => Math.min(Number(side), largest));
  return [...new Set(shapes.split(',').map((shape) => cap(shape).join('x')))].join(',');
}

/** Where and when the results were measured: a line above a table. */
export function headLine({ device, driver, runtimeVersions }: Environment): string {
  const versions = Object.entries(runtimeVersions).map(([name, version]) => `${name} ${version}`);
  return `${[device.device, driver, ...versions].join(', ')}, ${new Date().toISOString()}`;
}
