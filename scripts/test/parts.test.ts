import { expect, test } from 'vitest';
import { type Part, runParts } from './parts';

test('runs what fits into the time left, and names and counts what does not', () => {
  let left = 10;
  const part = (name: string, minutes: number): Part => ({
    ...{ name, minutes },
    run: () => {
      left -= minutes;
      return { passed: minutes, failed: 0, skipped: 0, failures: [] };
    },
  });
  const said: string[] = [];
  const parts = [part('pages', 6), part('mutants', 5), part('storm', 4)];
  expect(
    runParts(
      parts,
      () => left,
      (line) => said.push(line),
    ),
  ).toEqual([
    { passed: 6, failed: 0, skipped: 0, failures: [] },
    { passed: 0, failed: 0, skipped: 1, failures: [] },
    { passed: 4, failed: 0, skipped: 0, failures: [] },
  ]);
  expect(said).toEqual(['skipped: mutants: takes about 5 minutes, 4.0 are left']);
});
