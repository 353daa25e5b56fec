import { newSweepSchema } from '@tilemark/core';
import { expect, test } from 'vitest';
import { measuredRun } from '@/server/results.test-helper';
import { tunablesSweep } from './tunables-sweep';

const BLOCK = { name: 'BLOCK', values: [16, 8, 4] };

test('the tunables of a kernel are swept where it has run, each value once', () => {
  const crashed = measuredRun(100, { device: { key: 'b', name: 'B', class: 'gpu' } });
  const runs = [measuredRun(100), measuredRun(101), { ...crashed, kind: 'failed' as const }];
  const sweep = tunablesSweep('ada/mine@0123', [BLOCK], runs);
  expect(newSweepSchema.parse(sweep)).toMatchObject({
    spec: {
      cases: [
        {
          kernel: 'ada/mine@0123',
          tunables: { BLOCK: [16, 8, 4] },
          shapes: [{ m: 512, n: 512, k: 512 }],
          dtypes: ['f32'],
        },
      ],
      devices: ['a'],
    },
  });
});

test('nothing is swept of a kernel without tunables, of too many, or that has measured nothing', () => {
  const many = { name: 'MANY', values: Array.from({ length: 22 }, (_, value) => value) };
  expect(tunablesSweep('ada/mine@0123', [BLOCK, many], [measuredRun(100)])).toBeNull();
  expect(tunablesSweep('ada/mine@0123', [], [measuredRun(100)])).toBeNull();
  expect(tunablesSweep('ada/mine@0123', [BLOCK], [])).toBeNull();
});
