import { InputError } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { summarise } from '../statistics/summary';
import { broughtFile } from '../view/brought-file';
import type { RunResult } from '../view/result';
import { figuresOf } from './figures';
import { t4Figures, t4FileSchema, t4Of } from './t4';

const tried = (configuration: object, ms: readonly number[], invalidity = 'correct') => ({
  timestamp: '2026-11-20T10:00:00Z',
  configuration,
  times: { compilation_time: 3, runtimes: ms },
  invalidity,
  correctness: 1,
  measurements: [{ name: 'time', value: ms[0] ?? 0, unit: 'ms' }],
  objectives: ['time'],
});
const parsed = (...results: object[]) => t4FileSchema.parse({ schema_version: '1.0.0', results });
const hardware = 'GeForce RTX 4090';

it('the fastest correct configuration of each problem becomes a figure', () => {
  const file = parsed(
    tried({ M: 512, N: 256, K: 128, block: 32 }, [3, 2, 4]),
    tried({ M: 512, N: 256, K: 128, block: 64 }, [1, 1.5, 1.2]),
    tried({ M: 512, N: 256, K: 128, block: 8 }, [0.1], 'correctness'),
    tried({ M: 64, N: 64, K: 64, block: 8 }, [0.5]),
  );
  const figures = figuresOf(t4Figures(file, { hardware, dtype: 'f32' }));
  expect(figures).toMatchObject([
    {
      hardware,
      by: { kind: 'library', name: 'tuned elsewhere', version: 'Kernel Tuner (T4)' },
      problem: { shape: { m: 512, n: 256, k: 128 }, dtype: 'f32' },
      medianNs: 1.2e6,
      interval: { lowNs: 1e6, highNs: 1.5e6 },
    },
    { problem: { shape: { m: 64, n: 64, k: 64 } }, medianNs: 0.5e6 },
  ]);
});

it('says what a file does not say', () => {
  const file = parsed(tried({ block: 32 }, [3]));
  const refused = (options: object) => {
    try {
      t4Figures(file, options);
    } catch (error) {
      return error instanceof InputError ? error.field : String(error);
    }
    return 'nothing';
  };
  expect(refused({})).toBe('--shape');
  expect(refused({ shape: '64' })).toBe('--dtype');
  expect(refused({ shape: '64', dtype: 'f32' })).toBe('--hardware');
  expect(refused({ shape: '64', dtype: 'f32', hardware })).toBe('nothing');
});

it('results are written as T4 that says their problem, and are read again', () => {
  const run = {
    variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
    problem: { op: 'matmul', shape: { m: 64, n: 32, k: 16 }, dtype: 'f32' },
    device: { key: 'a-b' },
    profile: 'default',
    endedAt: '2026-11-20T10:00:00Z',
  };
  const slow = { cold: summarise([4e6, 5e6, 6e6]) };
  const batch = { ...run.problem, shape: { b: 3, ...run.problem.shape } };
  const large = { ...run.problem, shape: { m: 8, n: 8, k: 8 }, regime: 'large' };
  const fused = { ...run.problem, shape: { m: 8, n: 8, k: 8 }, epilogue: 'relu' };
  const results = [
    { ...run, outcome: { kind: 'measured', measurement: { cold: summarise([1e6, 2e6, 3e6]) } } },
    { ...run, outcome: { kind: 'failed', stage: 'compile', message: 'x' } },
    { ...run, outcome: { kind: 'skipped', why: 'x' } },
    { ...run, outcome: null },
    { ...run, problem: batch, outcome: { kind: 'measured', measurement: slow } },
    { ...run, problem: large, outcome: { kind: 'measured', measurement: slow } },
    { ...run, problem: fused, outcome: { kind: 'measured', measurement: slow } },
  ] as unknown as RunResult[];
  const file = t4Of(results);
  expect(broughtFile(file)).toBe('t4');
  expect(file.results.map(({ invalidity }) => invalidity)).toEqual([
    'correct',
    'compile',
    'constraints',
    'correct',
    'correct',
    'correct',
  ]);
  expect(file.results[0]).toMatchObject({
    configuration: { kernel: 'matmul/tiled', M: 64, N: 32, K: 16, dtype: 'f32', TILE: 16 },
    times: { runtimes: [1, 2, 3] },
    measurements: [{ name: 'time', value: 2, unit: 'ms' }],
  });
  const again = figuresOf(t4Figures(t4FileSchema.parse(file), { hardware }));
  expect(again).toMatchObject([
    { medianNs: 2e6, problem: { shape: { m: 64, n: 32, k: 16 } } },
    { medianNs: 5e6, problem: batch },
  ]);
});
