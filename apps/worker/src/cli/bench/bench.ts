import {
  type BenchFile,
  drawSeed,
  findSuite,
  isBad,
  kindsOf,
  type RunSpec,
  resultTable,
  suiteRef,
} from '@tilemark/core';
import { faultOf, type Regime, refuseIf } from '@tilemark/kernels';
import { Runner } from '../../child/runner';
import { list } from '../flags';
import type { GridOptions } from '../grid/client';
import { kernelsNamed } from '../kernel/file';
import { uniqueFlag } from '../on-device';
import { ResultFile } from '../result-file';
import { progressOf } from './progress';
import { type Measured, measureAll, openAll, planOf } from './session';
import { type BenchFlags, benchSpec } from './spec';
import { resultTables } from './table';

export interface BenchOptions extends BenchFlags, Partial<GridOptions> {
  /** Files of kernels, beside those of `kernel`. */
  readonly wgsl?: readonly string[];
  /** Comma-separated. Absent: the first adapter and the CPU, each for its own kernels. */
  readonly device?: string;
  readonly json?: string;
  readonly csv?: string;
  /** Of all inputs, for kernels of `wgsl`; absent: as usual. */
  readonly regime?: Regime;
  /** Absent: drawn, once for all runs. */
  readonly seed?: number;
}

/**
 * `tilemark bench`; its options and help are in ../program.ts, as those of all commands.
 *
 * Measures on this machine without any service: a progress bar on stderr, a table on
 * stdout, files on request. The files are rewritten after each run, so that a session cut
 * short leaves what it has measured. Returns the exit code: 1 if a run was incorrect or
 * failed, otherwise 0. Throws InputError before anything is measured.
 */
export async function bench(
  options: BenchOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const { regime, wgsl } = options;
  refuseIf(
    regime !== undefined && wgsl === undefined,
    'needs --wgsl: it shows on which inputs a kernel of yours is right',
    '--regime',
  );
  const kernel = await kernelsNamed(options);
  const spec = benchSpec({ ...options, ...(kernel && { kernel }) });
  const save = await saver(options);
  const flags = [...new Set(list(options.device ?? 'auto,cpu'))];
  const devices = await Promise.all(flags.map((flag) => uniqueFlag(flag.trim(), childEntry)));
  const runners = devices.map((device) => new Runner({ entry: childEntry, device }));
  try {
    const open = await openAll(runners);
    const plan = planOf(spec, open).map((run) => inRegime(run, regime));
    const progress = progressOf(plan.length, process.stderr);
    const measured = await measureAll(plan, open, options.seed ?? drawSeed(), {
      onWait: progress.wait,
      onStep: progress.step,
      onResult: async (result, soFar) => {
        await save(soFar);
        progress.result(result);
      },
    }).finally(progress.end);
    print(resultTables(measured));
    return measured.results.some(({ outcome }) => isBad(outcome?.kind)) ? 1 : 0;
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}

/** Throws InputError where such problems have no such inputs. */
function inRegime(run: RunSpec, regime: Regime | undefined): RunSpec {
  const problem = { ...run.problem, ...(regime && { regime }) };
  const fault = faultOf(problem.op, problem.shape, problem.dtype, problem);
  refuseIf(fault?.field === 'regime', fault?.reason ?? '', '--regime');
  return { ...run, problem };
}

/** Writes the files asked for. Throws InputError, now or later, if one cannot be written. */
async function saver(options: BenchOptions): Promise<(measured: Measured) => Promise<void>> {
  const { csv, json, suite } = options;
  const jsonFile = json === undefined ? null : await ResultFile.at(json, '--json');
  const csvFile = csv === undefined ? null : await ResultFile.at(csv, '--csv');
  return async ({ results, environments }) => {
    const [environment, ...others] = environments;
    if (!environment) return;
    const whole = suite !== undefined && { suite: suiteRef(findSuite(suite)) };
    const file: BenchFile = { version: 1, ...whole, environment, environments: others, results };
    await jsonFile?.write(`${JSON.stringify(file, null, 1)}\n`);
    const { head, line } = resultTable(kindsOf(results));
    await csvFile?.write(head + results.map(line).join(''));
  };
}
