import { expect, test } from 'vitest';
import type { Measurement, Outcome } from '../measure/outcome';
import { summarise } from '../statistics/summary';
import { measuredQuietly } from './busy';

const steady = summarise(Array.from({ length: 60 }, () => 1e6));

function outcome(unranked: string | null, over: Partial<Measurement>): Outcome {
  const verification = { freshRatio: 1 } as Measurement['verification'];
  const measurement = { cold: steady, stop: 'converged', verification, unranked };
  return { kind: 'measured', measurement: { ...measurement, ...over } as Measurement };
}

const THROTTLED = 'the device throttled during more than half of the samples';
const refused = outcome(THROTTLED, { stop: 'throttled' });
const ranked = outcome(null, {});

/** Measures the outcomes in turn, under what others take of the machine when asked. */
async function measured(outcomes: readonly Outcome[], loads: readonly number[]) {
  let runs = 0;
  let asked = 0;
  const found = await measuredQuietly(async () => outcomes[runs++] ?? ranked, 'default', {
    othersLoad: () => () => loads[asked++] ?? 0,
    checkMs: 1,
  });
  return { found, runs, asked };
}

test('what is refused beside other work is measured once more when the machine is quieter', async () => {
  const { asked, found, runs } = await measured([refused, ranked], [0.9, 0.8, 0.7, 0.1]);
  expect(found).toBe(ranked);
  expect([runs, asked]).toEqual([2, 4]);
});

test('what is refused on a quiet machine, or for another reason, is not', async () => {
  expect(await measured([refused], [0.1])).toMatchObject({ found: refused, runs: 1 });
  const implausible = outcome('implausible: faster than the device allows', {});
  expect(await measured([implausible], [0.9])).toMatchObject({ found: implausible, runs: 1 });
  expect(await measured([ranked], [0.9])).toMatchObject({ found: ranked, runs: 1 });
});
