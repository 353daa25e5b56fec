/**
 * T4, the format in which auto-tuners exchange results (Kernel Tuner's `store_output_file`, Kernel
 * Float, BAT): every configuration that was tried, with its times. A file of ours names the problem in
 * each configuration. Times from elsewhere have no samples under our protocol and no proof: they are
 * figures of reference, never results.
 */
import { InputError, opById, type Problem, parseProblem, shapeText } from '@tilemark/kernels';
import { median } from 'd3-array';
import { z } from 'zod';
import type { Outcome } from '../measure/outcome';
import type { RunResult } from '../view/result';
import type { ReferenceFile } from './figures';

const value = z.union([z.string().max(200), z.number(), z.boolean()]);

const resultSchema = z.object({
  timestamp: z.string().max(60),
  configuration: z.record(z.string().max(100), value),
  times: z.object({ runtimes: z.array(z.number().nonnegative()).max(100_000).default([]) }),
  /** `correct`, or at which step it failed. */
  invalidity: z.string().max(40),
  measurements: z
    .array(z.object({ name: z.string().max(40), value: z.number(), unit: z.string().max(20) }))
    .max(100),
  correctness: z.number().optional(),
  objectives: z.array(z.string().max(40)).max(20).optional(),
});

export const t4FileSchema = z.object({
  schema_version: z.string().max(20).optional(),
  results: z.array(resultSchema).max(20_000),
});
type T4File = z.infer<typeof t4FileSchema>;

/** What a file of another tuner does not say. */
export interface T4Options {
  readonly hardware?: string | undefined;
  readonly shape?: string | undefined;
  readonly dtype?: string | undefined;
}

const NS: Readonly<Record<string, number>> = {
  s: 1e9,
  seconds: 1e9,
  ms: 1e6,
  us: 1e3,
  microseconds: 1e3,
  ns: 1,
};

/**
 * The fastest correct configuration of each problem, as figures of reference; those that name a regime
 * or an epilogue are left out. Throws InputError that says what is missing.
 */
export function t4Figures(file: T4File, options: T4Options): ReferenceFile {
  const { hardware } = options;
  const best = new Map<string, { problem: Problem; medianNs: number; all: number[] }>();
  for (const result of file.results) {
    const { configuration, invalidity } = result;
    const isOther = 'regime' in configuration || 'epilogue' in configuration;
    if (invalidity !== 'correct' || isOther) continue;
    const problem = problemIn(configuration, options);
    const time = result.measurements.find(({ name }) => name === 'time');
    const unit = NS[time?.unit.toLowerCase() || 'ms'];
    if (!time || unit === undefined) {
      throw new InputError(`a time in ${Object.keys(NS).join(', ')} is missing`, 'measurements');
    }
    const all = result.times.runtimes.map((runtime) => runtime * unit);
    const medianNs = median(all) ?? time.value * unit;
    const key = `${shapeText(problem)} ${problem.dtype}`;
    if (medianNs < (best.get(key)?.medianNs ?? Number.POSITIVE_INFINITY)) {
      best.set(key, { problem, medianNs, all });
    }
  }
  if (!hardware) throw new InputError('T4 does not name the device: say it', '--hardware');
  if (best.size === 0) throw new InputError('has no correct configuration', 'results');
  const [newest = new Date().toISOString()] = file.results.map(({ timestamp }) => timestamp);
  return {
    date: new Date(newest).toISOString().slice(0, 10),
    device: hardware,
    name: 'tuned elsewhere',
    library: 'Kernel Tuner (T4)',
    about: 'The fastest correct configuration of a T4 file',
    results: [...best.values()].map(({ problem, medianNs, all }) => ({
      shape: shapeText(problem),
      dtype: problem.dtype,
      medianNs,
      intervalNs: [Math.min(medianNs, ...all), Math.max(medianNs, ...all)],
    })),
  };
}

/** From M, N and K of the configuration, or as the user says. */
function problemIn(
  configuration: T4File['results'][number]['configuration'],
  { dtype, shape }: T4Options,
): Problem {
  const named = new Map(
    Object.entries(configuration).map(([name, is]) => [name.toLowerCase(), is]),
  );
  const sides = ['m', 'n', 'k'].map((side) => named.get(side));
  const batch = named.get('b');
  const sizes = typeof batch === 'number' && batch > 1 ? [batch, ...sides] : sides;
  const given = shape ?? (sides.every((side) => typeof side === 'number') ? sizes.join('x') : '');
  if (given === '') {
    throw new InputError('T4 does not say the problem, nor do M, N, and K: say it', '--shape');
  }
  const type = dtype ?? named.get('dtype');
  if (typeof type !== 'string')
    throw new InputError('T4 does not name the dtype: say it', '--dtype');
  return parseProblem({ op: 'matmul', shape: given, dtype: type });
}

const INVALIDITY: Readonly<Record<Outcome['kind'], string>> = {
  measured: 'correct',
  incorrect: 'correctness',
  skipped: 'constraints',
  failed: 'runtime',
};

/** Results as T4, each with its kernel, problem, and device in its configuration. */
export function t4Of(results: readonly RunResult[]): T4File {
  return {
    schema_version: '1.0.0',
    results: results.flatMap(({ device, endedAt, outcome, problem, profile, variant }) => {
      if (!outcome) return [];
      const { dimensions, sizes } = opById(problem.op);
      const all = sizes(problem.shape);
      const sides = dimensions.map(({ letter }, at) => [letter, all[at] ?? 1] as const);
      const isCompile = outcome.kind === 'failed' && outcome.stage === 'compile';
      const { cold } = outcome.kind === 'measured' ? outcome.measurement : {};
      return [
        {
          timestamp: endedAt ?? new Date(0).toISOString(),
          configuration: {
            kernel: variant.kernel,
            ...Object.fromEntries(sides),
            dtype: problem.dtype,
            ...(problem.regime && { regime: problem.regime }),
            ...(problem.epilogue && { epilogue: problem.epilogue }),
            device: device.key,
            profile,
            ...variant.tunables,
          },
          times: { runtimes: (cold?.samplesNs ?? []).map((ns) => ns / 1e6) },
          invalidity: isCompile ? 'compile' : INVALIDITY[outcome.kind],
          correctness: outcome.kind === 'measured' ? 1 : 0,
          measurements: cold ? [{ name: 'time', value: cold.medianNs / 1e6, unit: 'ms' }] : [],
          objectives: ['time'],
        },
      ];
    }),
  };
}
