import type { PolicyId, ProblemTuning } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TuningFacts } from './tuning';

const fast = 'matmul/tiled[TILE=16]';
const slow = 'matmul/naive[BLOCK=16]';
const varied = new Map([['matmul/tiled', new Set(['TILE'])]]);

/** @param finals variants that were measured in full */
function textOf(
  finals: number,
  duels: NonNullable<ProblemTuning['decision']>['duels'] = [],
  policy: PolicyId = 'default',
) {
  const tuning: ProblemTuning = {
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile: 'default',
    seed: 1,
    budgetSeconds: 60,
    usedSeconds: 60,
    device: { key: 'a', name: 'A', class: 'gpu' },
    tried: 15,
    finals,
    phase: 'done',
    best: {
      address: fast,
      resultId: 'r',
      policy,
      rate: { value: 1, unit: 'GFLOP/s' },
      medianNs: 1e6,
      lowNs: 0.8e6,
      highNs: 1.4e6,
      samples: 7,
      independent: 7,
    },
    decision: { winner: fast, stop: 'budget', screened: 14, duels },
  };
  return renderToStaticMarkup(TuningFacts({ tuning, runs: 16, varied, isOver: true })).replaceAll(
    /<[^>]+>/g,
    ' ',
  );
}

test('counts as tried what has runs: also what was under way when screening ended', () => {
  expect(textOf(1)).toMatch(/Variants tried\s+15, in 16/);
});

test('names the runs that decided, of which there may be a single one', () => {
  expect(textOf(1)).toMatch(/Duels\s+0\s.*the only variant measured in full/);
  expect(textOf(2)).toMatch(/Duels\s+0\s.*Full runs decide\./);
  const duel = { a: fast, b: slow, ratio: 2, low: 1.9, high: 2.1 };
  expect(textOf(2, [duel])).toMatch(/Duel\s.*Full runs and duels decide\./);
});

test('names a winner by the tunables that vary, also at their defaults', () => {
  const duel = { a: fast, b: slow, ratio: 2, low: 1.9, high: 2.1 };
  const text = textOf(2, [duel]).replaceAll(/\s+/g, '');
  expect(text).toContain('Winnermatmul/tiled[TILE=16]');
  expect(text).toContain('Duelmatmul/tiled[TILE=16]ranat2.00×thespeedofmatmul/naive(');
});

test('a rate stands beside how well it is known, and that of a quick run says so', () => {
  expect(textOf(1)).toMatch(/Rate\s+1\.000\s+GFLOP\/s\s+1\.000\sms\s+−20% \+40%\s+Variants/);
  expect(textOf(1, [], 'screen')).toMatch(/−20% \+40%\s+, quick run/);
});
