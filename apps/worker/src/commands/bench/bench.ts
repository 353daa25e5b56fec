import { writeFile } from 'node:fs/promises';
import { type BenchFile, CSV_HEADER, csvLine, type RunResult } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { Runner } from '../../runner';
import { progressOf } from './progress';
import { measureAll, openAll, planOf } from './session';
import { type BenchFlags, benchSpec } from './spec';
import { resultTables } from './table';

export interface BenchOptions extends BenchFlags {
  /** Comma-separated devices. Absent: the first adapter and the CPU, each for its own kernels. */
  readonly device?: string;
  readonly json?: string;
  readonly csv?: string;
}

/**
 * Measures on this machine without any service: a progress bar on stderr, a
 * table on stdout, files where asked for. Returns the exit code: 1 when a run
 * was incorrect or failed, otherwise 0. Throws InputError.
 */
export async function bench(
  options: BenchOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const spec = benchSpec(options);
  const flags = [...new Set((options.device ?? 'auto,cpu').split(','))];
  const runners = flags.map((device) => new Runner({ entry: childEntry, device: device.trim() }));
  try {
    const open = await openAll(runners);
    const plan = planOf(spec, open);
    const progress = progressOf(plan.length, process.stderr);
    const { results, environments } = await measureAll(plan, open, {
      onWait: progress.wait,
      onStep: progress.step,
      onResult: progress.result,
    }).finally(progress.end);
    print(resultTables(results));
    const [environment, ...others] = environments;
    if (options.json !== undefined && environment) {
      const file: BenchFile = { version: 1, environment, environments: others, results };
      await write(options.json, `${JSON.stringify(file, null, 1)}\n`, '--json');
    }
    if (options.csv !== undefined) {
      await write(options.csv, CSV_HEADER + results.map(csvLine).join(''), '--csv');
    }
    return results.some(isBad) ? 1 : 0;
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}

function isBad({ outcome }: RunResult): boolean {
  return outcome?.kind === 'incorrect' || outcome?.kind === 'failed';
}

async function write(path: string, text: string, flag: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new InputError(error instanceof Error ? error.message : String(error), flag);
  }
}
