import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { leftText, progressOf } from './progress';

const run = {
  address: 'matmul/naive[BLOCK=16,MAPPING=col-x]',
  problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
} as const;
type Run = Parameters<ReturnType<typeof progressOf>['step']>[0];
type Result = Parameters<ReturnType<typeof progressOf>['result']>[0];

function shownOn(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 200 });
  const progress = progressOf(2, stream as unknown as NodeJS.WriteStream);
  progress.step(run as unknown as Run, 'compile');
  progress.result({ ...run, outcome: { kind: 'skipped', why: 'x' } } as unknown as Result);
  progress.end();
  return String(stream.read());
}

it('is a bar with what it is doing and how long it will take on a terminal', () => {
  const shown = shownOn(true);
  expect(shown).toContain('0/2');
  expect(shown).toMatch(/\d s left/);
  expect(shown).toContain('matmul/naive, 8 f32');
});

it('is a line per run elsewhere', () => {
  expect(shownOn(false)).toBe('1/2 matmul/naive, 8 f32: skipped: x\n');
});

it.each([
  [1000, 0, 4, ''],
  [1000, 1, 4, '3 s left'],
  [60_000, 1, 11, '10 min left'],
  [60_000, 4, 4, '0 s left'],
])('after %d ms %d of %d are done: "%s"', (elapsedMs, done, total, text) => {
  expect(leftText(elapsedMs, done, total)).toBe(text);
});
