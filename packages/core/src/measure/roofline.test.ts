import {
  createHostExecutor,
  type Executor,
  type ProbeRequest,
  type Problem,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from './device';
import { roofOver } from './measure';
import { leastTime, Roofline, surveyedRoof } from './roofline';

const MiB = 2 ** 20;

/** A device of 1,000 GFLOP/s and 100 GB/s, at each further measurement of the copy 10 GB/s more. */
function device() {
  const requests: ProbeRequest[] = [];
  let gbPerS = 90;
  const executor: Executor = {
    ...createHostExecutor(),
    probe: async (request) => {
      requests.push(request);
      if (request.id === 'copy') gbPerS += 10;
      const rate = request.id === 'copy' ? gbPerS : 1000;
      return {
        flops: request.id === 'copy' ? 0 : 1e9,
        bytes: request.id === 'copy' ? 1e9 : 0,
        sample: async (dispatches) => {
          const ns = (dispatches * 1e9) / rate;
          return { ns, wallNs: ns };
        },
        destroy: () => {},
      };
    },
  };
  return { roofline: new Roofline(executor, PLAIN_WEBGPU), requests };
}

const naive = { kernel: 'matmul/naive', tunables: { BLOCK: 16, MAPPING: 'col-x' } };
const product: Problem = { op: 'matmul', shape: { m: 1000, n: 1000, k: 1000 }, dtype: 'f32' };
const copy = { kernel: 'transpose/naive', tunables: {} };
const turned: Problem = { op: 'transpose', shape: { rows: 1000, cols: 1000 }, dtype: 'f32' };
describe('a survey', () => {
  it('copies over every working set that can be bound and multiplies in every dtype', async () => {
    const { roofline, requests } = device();
    const survey = await roofline.survey();
    // Each half of a copy is a separate binding: 2 x 128 MiB.
    expect(survey?.copies.map(({ bytes }) => bytes)).toEqual(
      Array.from({ length: 11 }, (_, index) => (MiB / 4) * 2 ** index),
    );
    expect(survey?.copies[0]?.gigabytesPerSecond).toBeCloseTo(100, 9);
    expect(survey?.peaks).toEqual([
      { dtype: 'f32', gigaflopsPerSecond: 1000 },
      { dtype: 'i32', gigaflopsPerSecond: 1000 },
    ]);
    expect(requests).toHaveLength(13);
  });

  it('has nothing to say of a device without probes', async () => {
    expect(await new Roofline(createHostExecutor(), PLAIN_WEBGPU).survey()).toBeNull();
  });
});

describe('a surveyed roof', () => {
  const copies = [{ bytes: MiB, gigabytesPerSecond: 100 }];
  const peaks = [{ dtype: 'f32' as const, gigaflopsPerSecond: 1000 }];

  it('is the higher of the two that a problem needs, and unknown while one is', () => {
    const over = (rates: Parameters<typeof surveyedRoof>[0]) => surveyedRoof(rates, naive, product);
    expect(over({ copies, peaks })).toEqual({ ns: 2e6, bound: 'compute' });
    expect(over({ copies, peaks: [] })).toBeNull();
    expect(over({ copies: [], peaks })).toBeNull();
    expect(surveyedRoof({ copies, peaks: [] }, copy, turned)?.bound).toBe('bandwidth');
  });

  it('still rules out what is faster than the part of it that is known', () => {
    const bytesNs = (3 * 4e6) / 100;
    expect(leastTime({ copies, peaks: [] }, naive, product)?.ns).toBeCloseTo(bytesNs, 6);
    expect(leastTime({ copies: [], peaks }, naive, product)).toEqual({ ns: 2e6, bound: 'compute' });
    expect(leastTime({ copies: [], peaks }, copy, turned)).toBeNull();
  });
});

describe('a roof', () => {
  it('is the time of the multiply-adds where they take longer than the bytes', async () => {
    const { roofline } = device();
    // 2 GFLOP at 1,000 GFLOP/s.
    expect(await roofline.roofOf(naive, product, MiB)).toEqual({ ns: 2e6, bound: 'compute' });
  });

  it('is the time of the bytes where there is no arithmetic', async () => {
    const { roofline, requests } = device();
    // 8 MB at 110 GB/s, the better of the two copies.
    const roof = await roofline.roofOf(copy, turned, MiB);
    expect(roof?.bound).toBe('bandwidth');
    expect(roof?.ns).toBeCloseTo(8e6 / 110, 6);
    expect(requests).toEqual([
      { id: 'copy', bytes: MiB },
      { id: 'copy', bytes: 256 * MiB },
    ]);
  });

  it('leaves out the multiply-adds of kernels that use matrix units', async () => {
    const { roofline, requests } = device();
    const matrix = { kernel: 'matmul/subgroup-matrix', tunables: {} };
    const half: Problem = { ...product, dtype: 'f16' };
    expect((await roofline.roofOf(matrix, half, MiB))?.bound).toBe('bandwidth');
    expect(requests.map(({ id }) => id)).toEqual(['copy', 'copy']);
  });

  it('leaves out the multiply-adds of bytes, which packed dots add up four at a time', async () => {
    const { roofline } = device();
    const bytes: Problem = { ...product, dtype: 'q8-q8' };
    const packed = { kernel: 'matmul/rows-of-weights', tunables: {} };
    expect((await roofline.roofOf(packed, bytes, MiB))?.bound).toBe('bandwidth');
  });

  it('asks of an algorithm what it multiplies, and of f16 the same whatever its sums', async () => {
    const { roofline, requests } = device();
    const large: Problem = { ...product, shape: { m: 2048, n: 2048, k: 2048 } };
    const roofNs = async (kernel: string) =>
      (await roofline.roofOf({ kernel, tunables: {} }, large, MiB))?.ns ?? 0;
    expect((await roofNs('matmul/strassen')) / (await roofNs('matmul/naive'))).toBeCloseTo(7 / 8);
    await roofline.roofOf(
      { kernel: 'matmul/naive', tunables: {} },
      { ...large, dtype: 'f16acc16' },
      MiB,
    );
    expect(requests.at(-1)).toEqual({ id: 'fma', dtype: 'f16' });
  });

  it('is measured once for like problems, and with no larger copy than the device can bind', async () => {
    const { roofline, requests } = device();
    await roofline.roofOf(copy, turned, 1000 * MiB);
    await roofline.roofOf(copy, turned, 900 * MiB);
    expect(requests).toEqual([{ id: 'copy', bytes: 256 * MiB }]);
  });

  it('is measured again when doubted, and the better rate counts', async () => {
    const { roofline } = device();
    const roof = await roofline.roofOf(copy, turned, MiB);
    if (!roof) throw new Error('the device has probes');
    await roofline.doubt(roof, turned, MiB);
    // 130 GB/s by now.
    expect((await roofline.roofOf(copy, turned, MiB))?.ns).toBeCloseTo(8e6 / 130, 6);
  });

  it('is raised by a result that beats it on a device that its machine shares, and on no other', async () => {
    const over = async (ns: number, kind: 'gpu' | 'software', roofline: Roofline) =>
      roofOver(naive, product, { medianNs: ns }, 1, roofline, kind);
    const { requests, roofline } = device();
    expect(await over(1e6, 'gpu', roofline)).toEqual({ ns: 2e6, bound: 'compute' });
    const probed = requests.length;
    expect((await over(1e6, 'software', roofline))?.ns).toBeCloseTo(1e6, 6);
    // Probed again first.
    expect(requests.length).toBe(probed + 1);
    const { peaks } = (await roofline.survey()) ?? {};
    expect(peaks?.[0]).toEqual({ dtype: 'f32', gigaflopsPerSecond: 2000 });
    expect((await over(1e5, 'software', device().roofline))?.ns).toBeCloseTo(1e5, 6);
  });

  it('is that of a device at work, though it has idled before', async () => {
    let busyNs = 0;
    const executor: Executor = {
      ...createHostExecutor(),
      probe: async () => ({
        flops: 0,
        bytes: 1e8,
        sample: async (dispatches) => {
          const ns = (dispatches * 1e8) / (busyNs < 0.3e9 ? 30 : 100);
          busyNs += ns;
          return { ns, wallNs: ns };
        },
        destroy: () => {},
      }),
    };
    const roof = await new Roofline(executor, PLAIN_WEBGPU).roofOf(copy, turned, 256 * MiB);
    expect(roof?.ns).toBeCloseTo(8e6 / 100, 6);
  });

  it('is not there on the host', async () => {
    expect(
      await new Roofline(createHostExecutor(), PLAIN_WEBGPU).roofOf(copy, turned, MiB),
    ).toBeNull();
  });
});
