import { InputError } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import type { Energy } from '../measure/energy';
import type { Measurement, Outcome } from '../measure/outcome';
import { measured, noise, square } from '../server/store/fixtures.test-helper';
import { type Series, summarise } from '../statistics/summary';
import type { GateBasis } from './basis';
import { checkOutcome } from './consistency';

const run = { policy: 'default', problem: square(64), seed: null } as const;
const honest = measured(1e6);
if (honest.kind !== 'measured') throw new TypeError('not measured');
const { measurement } = honest;
/** Passes of 10 ms, as a clock of 1 ns times them. */
const samples = noise(128).map((part) => Math.round(10e6 * (1 + part / 1e3)) / 10);

const refusal = (
  over: Partial<Measurement>,
  asked: Pick<GateBasis, 'policy' | 'problem' | 'seed'> = run,
) => {
  const outcome: Outcome = { kind: 'measured', measurement: { ...measurement, ...over } };
  try {
    checkOutcome(outcome, asked);
    return null;
  } catch (error) {
    return error instanceof InputError ? error.field.replace('outcome.measurement.', '') : error;
  }
};
const energy = (): Energy => ({
  source: 'nvml',
  idleW: 70,
  stretches: Array(3).fill({ dispatches: 5_100, ns: 5.1e9, joules: 1_500 }),
});
const cold = (samplesNs: readonly number[], over: Partial<Series> = {}) => ({
  cold: { ...summarise(samplesNs), ...over },
});

test('an honest measurement passes', () => {
  expect(refusal({})).toBeNull();
  expect(refusal(cold(samples))).toBeNull();
});

test.each<[field: string, why: string, over: Partial<Measurement>]>([
  ['cold.medianNs', 'an edited median', cold(samples, { medianNs: 0.5e6 })],
  ['cold.lowNs', 'a narrower interval', cold(samples, { lowNs: 0.999999e6 })],
  ['cold.cv', 'less noise', cold(samples, { cv: 0 })],
  ['cold.n', 'more samples than there are', cold(samples, { n: 1_000 })],
  ['dispatchesPerSample', 'more dispatches than ever', { dispatchesPerSample: 1e6 }],
  ['bufferSets', 'more buffers than ever', { bufferSets: 1_000 }],
  ['hot', 'no hot series where one is due', { hot: null }],
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

test('an element within its bound is not incorrect', () => {
  const worst = { row: 0, col: 0, got: 1, want: 1.1, bound: 0.2 };
  const incorrect: Outcome = { kind: 'incorrect', when: 'before', worst };
  expect(() => checkOutcome(incorrect, run)).toThrow(/within its bound/);
  const far = { ...incorrect, worst: { ...worst, bound: 0.01 } };
  expect(() => checkOutcome(far, run)).not.toThrow();
});

test('energy is of the policy', () => {
  const of = { ...cold(samples), energy: energy() };
  expect(refusal({ ...of, policy: 'energy' }, { ...run, policy: 'energy' })).toBeNull();
  expect(refusal(of)).toBe('energy');
});
