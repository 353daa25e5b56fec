import type { Problem, TunableValues } from '@tilemark/kernels';
import { faultOf } from '@tilemark/kernels';
import { describe, expect, it, test } from 'vitest';
import { specSchema } from '../plan/spec';
import { batteryOf, batterySweep } from './battery';
import { batteryFinding, type Checked, casesOf } from './checked';
import { readKernel } from './kernel';
import { KERNEL_LIMITS } from './manifest';
import { kernelTemplate } from './template';

const template = kernelTemplate('mine');
const withManifest = (change: object, source = template) => {
  const header = /\/\* tilemark([\s\S]*?)\*\//.exec(template)?.[1] ?? '{}';
  const manifest = JSON.stringify({ ...JSON.parse(header), ...change });
  return readKernel({ author: 'ada', source, manifest });
};
const transpose = `@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read_write> B: array<f32>;
@compute @workgroup_size(BLOCK, BLOCK) fn main() {}`;

type Shape = Readonly<Record<'b' | 'm' | 'n' | 'k' | 'rows' | 'cols', number>>;
const shapesOf = async (change: object, source?: string) =>
  batteryOf(await withManifest(change, source)).map(([, { shape }]) => shape as unknown as Shape);

describe('a kernel that is wrong', () => {
  it.each<[string, (shape: Shape) => boolean]>([
    ['for an odd number of stages of 8', ({ k }) => k % 16 === 8],
    ['for an odd number of stages of 16', ({ k }) => k % 32 === 16],
    ['for an odd number of blocks of 16 rows', ({ m }) => m % 32 === 16],
    ['where n and k alone are multiples', ({ m, n, k }) => (n % 4) + (k % 4) === 0 && m % 32 === 4],
    ['beyond 65,535 elements', ({ m, n }) => m * n > 65_535],
    ['beyond 65,535 workgroups of 64 threads', ({ m, n }) => m * n > 64 * 65_535],
    ['for long sums', ({ k }) => k > 4_096],
    ['beyond 2,048 rows', ({ m }) => m > 2_048],
    ['at an odd n near 40', ({ n }) => n === 41],
    ['at one row', ({ m, n }) => m === 1 && n > 1],
  ])('%s is tried there', async (_, isWrong) => {
    expect((await shapesOf({})).some(isWrong)).toBe(true);
  });

  it('from five products of a batch on is tried there', async () => {
    expect((await shapesOf({ batches: true })).some(({ b = 1 }) => b >= 5)).toBe(true);
    expect((await shapesOf({})).some(({ b = 1 }) => b > 1)).toBe(false);
  });

  it.each<[string, (shape: Shape) => boolean]>([
    ['in partial tiles of vectors', ({ rows, cols }) => rows === 36 && cols % 32 === 0],
    ['in diagonal blocks of squares', ({ rows, cols }) => rows === cols && rows % 8 === 4],
    ['in long strips', ({ rows, cols }) => rows > 2_048 && cols === 20],
  ])('to transpose %s is tried there', async (_, isWrong) => {
    const shapes = await shapesOf({ op: 'transpose', tunables: { BLOCK: [8] } }, transpose);
    expect(shapes.some(isWrong)).toBe(true);
  });

  it('for two values together is tried with them, as far as requirements allow', async () => {
    const tunables = { BLOCK: [16, 8, 4], UNROLL: [1, 2, 4], PAD: [0, 1] };
    const source = template.replace('var sum', 'let used = UNROLL + PAD; var sum');
    const requires = [{ that: 'BLOCK + UNROLL <= 18' }];
    const battery = batteryOf(await withManifest({ tunables, requires }, source));
    const tried = battery.map(([{ tunables: values }]) => values);
    const isTried = (wanted: TunableValues) =>
      tried.some((values) =>
        Object.entries(wanted).every(([name, value]) => values[name] === value),
      );
    const pairs = Object.entries(tunables).flatMap(([a, xs], at) =>
      Object.entries(tunables)
        .slice(at + 1)
        .flatMap(([b, ys]) => xs.flatMap((x) => ys.map((y) => ({ [a]: x, [b]: y })))),
    );
    const missed = pairs.filter((pair) => !isTried(pair));
    expect(missed).toEqual([{ BLOCK: 16, UNROLL: 4 }]);
    expect(tried.every(({ BLOCK, UNROLL }) => Number(BLOCK) + Number(UNROLL) <= 18)).toBe(true);
  });
});

test('sizes of weights in blocks are whole blocks, of which rows have odd numbers, too', async () => {
  const source = template
    .replaceAll('array<T>', 'array<f16>')
    .replace('B: array<f16>', 'B: array<u32>')
    .replace(
      '@compute',
      '@group(0) @binding(4) var<storage, read> B_scales: array<f16>;\n@compute',
    );
  const battery = batteryOf(await withManifest({ dtypes: ['f16-q4'] }, source));
  for (const [, { op, shape, dtype }] of battery) expect(faultOf(op, shape, dtype)).toBeNull();
  const sizes = battery.map(([, { shape }]) => shape as Problem<'matmul'>['shape']);
  expect(sizes.some(({ k }) => k % 64 === 32 && k > 64)).toBe(true);
  expect(sizes.some(({ m }) => m === 1)).toBe(true);
  expect(sizes.some(({ k }) => k > 4_000)).toBe(true);
});

test('the battery of a kernel with many tunables is a sweep', async () => {
  const values = Array.from({ length: 32 }, (_, i) => i + 1);
  const source = template.replace('var sum', 'let used = UNROLL; var sum');
  const contributed = await withManifest({ tunables: { BLOCK: values, UNROLL: values } }, source);
  const { cases } = specSchema.parse(batterySweep(contributed, ['gpu']).spec);
  const variants = new Set(cases.map(({ tunables }) => JSON.stringify(tunables)));
  expect(variants.size).toBeLessThanOrEqual(KERNEL_LIMITS.variants);
  const runs = cases.reduce((sum, { shapes }) => sum + shapes.length, 0);
  expect(runs).toBe(batteryOf(contributed).length);
});

test('cases that the device refuses where others were right, or that were halved, do not count', () => {
  const ended = (outcome: object, isHalved = false) =>
    ({ outcome, isHalved }) as unknown as Checked;
  const right = ended({ kind: 'measured' });
  const skipped = ended({ kind: 'skipped', why: 'too large' });
  const slow = ended({ kind: 'failed', stage: 'measure', message: 'takes 2 s per dispatch' });
  const halved = ended({ kind: 'measured' }, true);
  const all = [right, skipped, slow, halved];
  expect(casesOf(all)).toEqual([right, halved]);
  expect(batteryFinding(all)).toBe('right');
  expect(casesOf([skipped])).toEqual([skipped]);
  expect(batteryFinding([right, slow])).toBe('too slow here');
});
