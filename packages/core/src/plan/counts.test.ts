import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from '../measure/device';
import { countRuns } from './counts';
import { expand } from './expansion';
import { type PlannableDevice, specSchema } from './spec';

const gpu: PlannableDevice = { key: 'gpu-a', class: 'gpu', capabilities: PLAIN_WEBGPU };
const software: PlannableDevice = { key: 'soft-b', class: 'software', capabilities: PLAIN_WEBGPU };
const cpu: PlannableDevice = { key: 'cpu-c', class: 'cpu', capabilities: PLAIN_WEBGPU };
const DEVICES = [gpu, software, cpu];

const square = { m: 64, n: 64, k: 64 };
const naive = { kernel: 'matmul/naive', shapes: [square] };
const host = { kernel: 'matmul/cpu-naive', shapes: [square] };
const spec = (input: unknown) => specSchema.parse(input);

describe('countRuns', () => {
  const blocks = { ...naive, tunables: { BLOCK: [8, 16, 32] } };

  it('says how many runs a device would skip, and why', () => {
    const { runs, skipped } = countRuns(spec({ cases: [blocks] }), [gpu]);
    expect(runs).toBe(3);
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.runs).toBe(1);
    expect(skipped[0]?.why).toMatch(/1024 threads per workgroup/);
  });

  it('does not count on the fast profile lacking what the default one lacks', () => {
    const half = { ...naive, dtypes: ['f16'] };
    const { runs, skipped } = countRuns(spec({ cases: [half], profiles: ['default', 'fast'] }), [
      gpu,
    ]);
    expect(runs).toBe(2);
    expect(skipped).toEqual([{ why: expect.stringMatching(/shader-f16/), runs: 1 }]);
  });

  it('counts what expand plans', () => {
    const input = spec({ cases: [blocks, naive, host], profiles: ['default', 'fast'] });
    expect(countRuns(input, DEVICES).runs).toBe(expand(input, DEVICES).length);
  });

  it('works without the limits of the devices', () => {
    expect(countRuns(spec({ cases: [blocks] }), [{ key: 'a', class: 'gpu' }])).toEqual({
      runs: 3,
      isTooMany: false,
      skipped: [],
      devices: [{ key: 'a', runs: 3, skipped: [], seconds: null }],
    });
  });

  it('answers none where no device fits', () => {
    expect(countRuns(spec({ cases: [host] }), [gpu]).runs).toBe(0);
  });
});

it('adds up what a device has to do, and says nothing of one without past runs', () => {
  const cases = [
    {
      kernel: 'matmul/naive',
      tunables: { BLOCK: [8, 16] },
      shapes: [{ m: 64, n: 64, k: 64 }],
      dtypes: ['f32' as const],
    },
  ];
  const devices = [
    { key: 'a', class: 'gpu' as const },
    { key: 'b', class: 'gpu' as const },
    { key: 'c', class: 'cpu' as const },
  ];
  const spec = { cases, profiles: ['default' as const], policy: 'default' as const };
  expect(countRuns(spec, devices, { a: 4 }).devices).toEqual([
    { key: 'a', runs: 2, skipped: [], seconds: 8 },
    { key: 'b', runs: 2, skipped: [], seconds: null },
  ]);
  // A run that is skipped takes no time.
  const wide = cases.map((sweepCase) => ({ ...sweepCase, tunables: { BLOCK: [8, 16, 32] } }));
  const [limited] = countRuns({ ...spec, cases: wide }, [{ ...gpu, key: 'a' }], { a: 4 }).devices;
  expect(limited).toMatchObject({ runs: 3, skipped: [{ runs: 1 }], seconds: 8 });
});
