import { readdirSync, readFileSync } from 'node:fs';
import { InputError } from '@tilemark/kernels';
import { describe, expect, test } from 'vitest';
import type { Energy } from '../../measure/energy';
import type { Measurement, Outcome } from '../../measure/outcome';
import type { AskedRun } from '../../plan/expansion';
import { type Series, summarise } from '../../statistics/summary';
import type { RunResult } from '../../view/api';
import { measured, noise, square } from '../store/fixtures.test-helper';
import { checkOutcome, repeatedBlock } from './consistency';

const folder = new URL('../../../../../docs/results/h200-2026-11-21/', import.meta.url);

describe('nothing that an NVIDIA H200 measured contradicts itself', () => {
  test.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s', (name) => {
    const file = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    const results: readonly RunResult[] = file.results;
    expect(results.length).toBeGreaterThan(0);
    for (const [index, result] of results.entries()) {
      if (result.outcome) checkOutcome(result.outcome, result, `results[${index}].outcome`);
    }
  });
});

const run = { policy: 'default', problem: square(64) } as const;
const honest = measured(1e6);
if (honest.kind !== 'measured') throw new TypeError('not measured');
const { measurement } = honest;
/** Passes of 10 ms, as a clock of 1 ns times them. */
const samples = noise(128).map((part) => Math.round(10e6 * (1 + part / 1e3)) / 10);

const refusal = (
  over: Partial<Measurement>,
  leaseNs: number | null = null,
  asked: Pick<AskedRun, 'policy' | 'problem'> = run,
) => {
  const outcome: Outcome = { kind: 'measured', measurement: { ...measurement, ...over } };
  try {
    checkOutcome(outcome, asked, 'outcome', leaseNs);
    return null;
  } catch (error) {
    return error instanceof InputError ? error.field.replace('outcome.measurement.', '') : error;
  }
};
/** Three stretches of dispatches as long as the samples say. */
const energy = (over: Partial<Energy['stretches'][number]> = {}): Energy => {
  const stretch = { dispatches: 5_100, ns: 5.1e9, joules: 1_500, ...over };
  return { source: 'nvml', idleW: 70, stretches: [stretch, stretch, stretch] };
};
const cold = (samplesNs: readonly number[], over: Partial<Series> = {}) => ({
  cold: { ...summarise(samplesNs), ...over },
});

test('an honest measurement passes, with the time that it took', () => {
  expect(refusal({})).toBeNull();
  expect(refusal(cold(samples))).toBeNull();
  expect(refusal({}, 20e9)).toBeNull();
});

test.each<[field: string, why: string, over: Partial<Measurement>]>([
  ['cold.medianNs', 'an edited median', cold(samples, { medianNs: 0.5e6 })],
  ['cold.lowNs', 'a narrower interval', cold(samples, { lowNs: 0.999999e6 })],
  ['cold.cv', 'less noise', cold(samples, { cv: 0 })],
  ['cold.n', 'more samples than there are', cold(samples, { n: 1_000 })],
  ['cold.samplesNs', 'equal to the last digit', cold(samples.map(() => 1e6))],
  ['cold.samplesNs', 'one half twice', cold([...samples.slice(64), ...samples.slice(64)])],
  ['cold.samplesNs', 'between the ticks of the clock', cold(samples.map((ns) => ns + 0.0137))],
  [
    'dispatchesPerSample',
    'samples that are too short',
    { ...cold(samples.map((ns) => ns / 1e3)), dispatchesPerSample: 10 },
  ],
  ['dispatchesPerSample', 'more dispatches than ever', { dispatchesPerSample: 1e6 }],
  ['bufferSets', 'more buffers than ever', { bufferSets: 1_000 }],
  ['hot', 'no hot series where one is due', { hot: null }],
  [
    'stop',
    'converged on noise',
    cold(noise(128).map((part) => Math.round(10e6 * (1 + part / 5)) / 10)),
  ],
  ['stop', 'converged after three samples', cold(samples.slice(0, 3))],
  ['stop', 'an end that the policy does not have', { stop: 'quick' }],
  [
    'verification.before.checked',
    'more elements than there are',
    {
      verification: {
        ...measurement.verification,
        before: { ...measurement.verification.before, checked: 2 * 64 * 64 + 1 },
      },
    },
  ],
])('%s: %s', (field, _why, over) => {
  expect(refusal(over)).toBe(field);
});

test('its samples fit into the time it was claimed for, and a capped series into its cap', () => {
  expect(refusal({}, 1e9)).toBe('cold.samplesNs');
  // A kernel compiled before the claim, for another run, took its time there.
  expect(refusal({ compileNs: 60e9 }, 16e9)).toBeNull();
  expect(refusal({ stop: 'capped' }, 14e9)).toBe('stop');
  expect(refusal({ stop: 'capped' }, 16e9)).toBeNull();
});

test('an element within its bound is not incorrect', () => {
  const worst = { row: 0, col: 0, got: 1, want: 1.1, bound: 0.2 };
  const incorrect: Outcome = { kind: 'incorrect', when: 'before', worst };
  expect(() => checkOutcome(incorrect, run, 'outcome')).toThrow(/within its bound/);
  const far = { ...incorrect, worst: { ...worst, bound: 0.01 } };
  expect(() => checkOutcome(far, run, 'outcome')).not.toThrow();
});

test('the few values of a coarse clock do not count as repetition', () => {
  expect(repeatedBlock(Array.from({ length: 30 }, (_, at) => at % 3))).toBeNull();
  expect(repeatedBlock(Array.from({ length: 30 }, (_, at) => at % 6))).toBe(6);
  expect(repeatedBlock(noise(30))).toBeNull();
});

test('a repeated block is found wherever a look at every length finds one', () => {
  const byLooking = (values: readonly number[]) => {
    for (let length = 5; values.length - length >= 10 && 2 * length <= values.length; length++) {
      const repeats = values.every((value, at) => at < length || value === values[at - length]);
      if (repeats && new Set(values.slice(0, length)).size >= 5) return length;
    }
    return null;
  };
  let found = 0;
  for (let n = 10; n < 60; n++) {
    for (let length = 1; length <= n; length++) {
      for (const different of [1, 4, 5, 9]) {
        const values = Array.from({ length: n }, (_, at) => ((at % length) * 7) % different);
        const block = repeatedBlock(values);
        if (block !== null) found++;
        expect(block, `${values}`).toBe(byLooking(values));
      }
    }
  }
  expect(found).toBeGreaterThan(100);
});

test('looking for a repeated block takes time in proportion to the samples', () => {
  const n = 100_000;
  const alike = new Array<number>(n).fill(5);
  const series = [
    [...alike.slice(1), 6],
    alike,
    Array.from(alike, (_, at) => (at % 2 ? 1 : Math.trunc(at / 1_000))),
  ];
  for (const samples of series) {
    let reads = 0;
    const counted = new Proxy(samples, {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(repeatedBlock(counted)).toBeNull();
    expect(reads).toBeLessThan(10 * n);
  }
});

test('energy is of the policy, of whole stretches, and of the dispatches that were timed', () => {
  const asked = { ...run, policy: 'energy' } as const;
  const refused = (of: Energy | null, leaseNs: number | null = null) =>
    refusal({ ...cold(samples), policy: 'energy', energy: of }, leaseNs, asked);
  expect(refused(energy())).toBeNull();
  expect(refused(null)).toBeNull();
  expect(refused(energy({ ns: 4.9e9 }))).toBe('energy.stretches[0].ns');
  expect(refused(energy({ dispatches: 51_000 }))).toBe('energy.stretches[0].dispatches');
  expect(refused(energy(), 15e9)).toBe('cold.samplesNs');
  expect(refusal({ ...cold(samples), energy: energy() })).toBe('energy');
});
