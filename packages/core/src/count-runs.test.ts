import { describe, expect, it } from 'vitest';
import { countRuns } from './count-runs';
import { expand } from './expand';
import type { PlannableDevice } from './planned-run';
import { specSchema } from './spec';
import { capabilities } from './test-capabilities';

const gpu: PlannableDevice = { key: 'gpu-a', class: 'gpu', capabilities };
const software: PlannableDevice = { key: 'soft-b', class: 'software', capabilities };
const cpu: PlannableDevice = { key: 'cpu-c', class: 'cpu', capabilities };
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
    expect(skipped[0]?.why).toMatch(/1024 threads a workgroup/);
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
