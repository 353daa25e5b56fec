import { expect, test } from 'vitest';
import { checkKernel } from '../contributed/kernel';
import { kernelTemplate } from '../contributed/template';
import { submissionOf } from './submission';

const TEMPLATE = kernelTemplate('mine');
const { kernel } = checkKernel({ author: 'ada', source: TEMPLATE });
const shapes = [64, 96].map((n) => ({ m: n, n, k: n }));
const asked = { kernel: 'ada/mine@1', op: kernel.op, shapes, dtypes: kernel.dtypes } as const;

test('a submission tries the defaults alone, and the template promises no more', async () => {
  const { cases } = await submissionOf({ ...asked, devices: ['a'] }, async () => null);
  expect(kernel.tunables.map(({ values }) => values.length)).toEqual([3]);
  const own = cases.filter((each) => each.kernel === 'ada/mine@1');
  expect(own.map((each) => each.tunables)).toEqual([{}]);
  const [, about] =
    /tunables\s([\s\S]*?)\n\/\/ {3}\w/.exec(TEMPLATE.slice(TEMPLATE.indexOf('*/'))) ?? [];
  expect(about).toContain('The first value is the default; a sweep may measure the others.');
  expect(about?.match(/\b(tries|tried|runs|measures?)\b/g)).toEqual(['measure']);
});

test('it runs beside naive and, on each device, the best that is known there, else tiled', async () => {
  const best = { kernel: 'matmul/warp-tile', tunables: { BM: 64 } };
  const { cases, devices } = await submissionOf(
    { ...asked, devices: ['a', 'b', 'c'] },
    async (_, device) =>
      device === 'a'
        ? { variant: best }
        : device === 'b'
          ? null
          : { variant: { kernel: 'matmul/naive', tunables: {} } },
  );
  expect(devices).toEqual(['a', 'b', 'c']);
  const [naive, own, ...bests] = cases;
  expect([naive, own]).toMatchObject([
    { kernel: 'matmul/naive', shapes, dtypes: ['f32'] },
    { kernel: 'ada/mine@1', shapes, dtypes: ['f32'] },
  ]);
  const placed = shapes.map((shape) => ({ shapes: [shape], dtypes: ['f32'] }));
  expect(bests).toEqual([
    ...placed.map((at) => ({ ...at, kernel: best.kernel, tunables: { BM: [64] }, onlyOn: ['a'] })),
    ...placed.map((at) => ({ ...at, kernel: 'matmul/tiled', tunables: {}, onlyOn: ['b'] })),
  ]);
});
