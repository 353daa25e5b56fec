import { shippedReference } from '@tilemark/core';
import { expect, test } from 'vitest';
import { overviewGroups } from './overview-groups';
import { pictureRows } from './picture-rows';

test('the first screen’s picture has its rows and scales, and libraries where devices leave room', () => {
  const figures = shippedReference().filter(
    ({ problem: { op, dtype } }) => op === 'matmul' && dtype === 'f32',
  );
  const rows = pictureRows([], figures);
  const [group] = overviewGroups(rows);
  expect(group).toMatchObject({
    name: 'NVIDIA H200, measured elsewhere, at 4096 × 4096 × 4096',
    peak: { rate: 67_000 },
    bars: [
      { label: 'matmul/warp-tile', isSubject: true },
      { label: 'cuBLAS' },
      { label: 'TensorFlow.js' },
      { label: 'jax-js' },
    ],
  });
  const four = Array.from({ length: 4 }, () => rows).flat();
  expect(overviewGroups(four).map(({ bars }) => bars.length)).toEqual([3, 1, 1, 1]);
  const bare = rows.map((row) => ({ ...row, name: 'Bare', libraries: [] }));
  const five = overviewGroups([...bare, ...four]);
  expect(five.map(({ bars }) => bars.length)).toEqual([3, 1, 1, 1]);
  const none = Array.from({ length: 5 }, () => bare).flat();
  expect(overviewGroups(none)).toHaveLength(5);
  expect(overviewGroups(rows.map((row) => ({ ...row, isCpu: true })))).toMatchObject([
    { bars: [{ note: 'TypeScript, not WGSL' }, {}, {}, {}] },
  ]);
  const note = { note: 'measured elsewhere' };
  expect(
    overviewGroups(
      rows.map((row) => ({ ...row, href: '/results/a', imported: { by: 'admin', at: '' } })),
    ),
  ).toMatchObject([
    {
      name: 'NVIDIA H200, imported, at 4096 × 4096 × 4096',
      bars: [{ label: 'matmul/warp-tile' }, note, note, note],
    },
  ]);
});
