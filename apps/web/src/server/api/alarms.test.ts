import { type Alarm, deviceKey } from '@tilemark/core';
import { expect, it } from 'vitest';
import { feedOf } from './alarms';

const alarm: Alarm = {
  id: '01a21be2-c05a-77aa-a7f3-dac68d29d9ab',
  kind: 'SLOW',
  at: '2026-11-27T07:22:00.000Z',
  device: {
    key: deviceKey({
      vendor: 'acme',
      architecture: 'anvil',
      device: 'One',
      backend: 'vulkan',
      runtime: 'dawn',
      class: 'gpu',
    }),
    name: '<One> & "Co"\u0000',
    class: 'gpu',
  },
  address: 'matmul/tiled[TILE=16]',
  problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
  profile: 'default',
  results: ['01a21be2-c02e-778d-819d-c41fb15cc57b', '01a21be2-c05a-77aa-a7f3-dac68d29d9ab'],
  software: { driver: '1.3', runtime: 'webgpu 0.6.2' },
  softwareBefore: { driver: '1.2', runtime: 'webgpu 0.6.2' },
  change: {
    ratio: 0.5,
    low: 0.49,
    high: 0.51,
    before: { medianNs: 1, lowNs: 1, highNs: 1, invocations: 2 },
    after: { medianNs: 2, lowNs: 2, highNs: 2, invocations: 2 },
  },
};

it('a feed of alarms is well-formed, whatever devices are called', () => {
  const feed = feedOf([alarm], 'https://grid.example', 'a&b');
  expect(feed).toContain(
    '<title>matmul/tiled[TILE=16] is slower (0.50 times as fast) on &lt;One&gt; &amp; &quot;Co&quot;\uFFFD</title>',
  );
  expect(feed).toContain(
    '<summary>matmul 64 x 64 x 64 f32, profile default; 1.2, webgpu 0.6.2, now 1.3, webgpu 0.6.2</summary>',
  );
  expect(feed).toContain(
    '<link rel="self" href="https://grid.example/api/v1/alarms?format=atom&amp;device=a%26b"/>',
  );
  expect(feed).toContain(`<link href="https://grid.example/results/${alarm.id}"/>`);
  expect(feed.match(/<updated>2026-11-27T07:22:00.000Z<\/updated>/g)).toHaveLength(2);
  expect(feedOf([], 'https://grid.example')).not.toContain('<entry>');
});
