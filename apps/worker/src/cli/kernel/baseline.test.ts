import type { DuelOutcome, Outcome } from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { compareWith } from './baseline';

const problem: Problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
const keeps = 'it keeps results: on new inputs a dispatch takes 8.4 times as long';

it.each([
  ['the kernel', keeps, null],
  ['its baseline', null, keeps],
])('nothing is compared where %s keeps results', async (_, a, b) => {
  const printed: string[] = [];
  const verification = { rms: 1, isRepeatable: true };
  const outcome = { kind: 'measured', measurement: { verification } } as unknown as Outcome;
  const duel = { a: { implausible: a }, b: { implausible: b }, ratio: 8.4, low: 8, high: 9 };
  const exit = await compareWith(
    [problem],
    async () => ({ variant: { kernel: 'local/mine', tunables: {} }, problem, outcome }),
    async () => ({ kind: 'dueled', duel }) as unknown as DuelOutcome,
    { device: 'One', path: 'my.wgsl', print: (text) => printed.push(text), tolerance: 0 },
  );
  expect(exit).toBe(6);
  expect(printed.join()).toContain(`| **not compared**: ${keeps} |`);
});
