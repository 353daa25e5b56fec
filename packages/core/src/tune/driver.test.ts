import { parseProblem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { compilesAhead, SearchDriver } from './driver';
import { keyOf, type RunRequest, type TrialOutcome, type WantedSpec, wantedRun } from './protocol';

const problem = parseProblem({ op: 'transpose', shape: '64', dtype: 'f32' });
const runOf = (block: number): WantedSpec =>
  wantedRun(
    problem,
    {
      kernel: 'transpose/naive',
      tunables: { BLOCK: block },
      address: `transpose/naive[BLOCK=${block}]`,
    },
    'screen',
  );
const asked = (block: number, ...following: number[]): RunRequest => ({
  run: runOf(block),
  following: () => following.map(runOf),
});
const failed: TrialOutcome = { kind: 'failed' };

it('measures what is not known, compiles each of the rest once, and counts its time alone', async () => {
  const known = new Map([[keyOf(runOf(1)), { outcome: failed, contrast: null, spentNs: 5e9 }]]);
  const measured: [number, number[]][] = [];
  const blockOf = ({ variant }: WantedSpec) => Number(variant.tunables.BLOCK);
  const driver: SearchDriver<TrialOutcome> = new SearchDriver<TrialOutcome>({
    device: { identity: { class: 'gpu' }, capabilities: { features: ['timestamp-query'] } },
    find: (run) => known.get(keyOf(run)) ?? null,
    measure: (run, ahead) =>
      driver.alone(async () => {
        measured.push([blockOf(run), ahead.map(blockOf)]);
        return { outcome: failed, contrast: null };
      }),
    // Something else measures for a while.
    alone: async (work) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return work();
    },
  });
  const beganNs = driver.nowNs();
  expect(await driver.answer(asked(1, 2))).toMatchObject({ outcome: failed });
  const knownNs = driver.nowNs() - beganNs;
  expect(knownNs).toBeGreaterThan(5e9);
  await driver.answer(asked(2, 1, 4));
  await driver.answer(asked(4, 4, 8));
  expect(measured).toEqual([
    [2, [4]],
    [4, [8]],
  ]);
  expect(driver.nowNs() - beganNs - knownNs).toBeLessThan(0.2e9);
});

it.each([
  ['gpu', ['timestamp-query'], true],
  ['gpu', ['shader-f16'], false],
  ['software', ['timestamp-query'], false],
  ['cpu', [], false],
] as const)(
  'compiling ahead on a device of class %s with %j: %s',
  (deviceClass, features, expected) => {
    const device = { identity: { class: deviceClass }, capabilities: { features: [...features] } };
    expect(compilesAhead(device)).toBe(expected);
  },
);
