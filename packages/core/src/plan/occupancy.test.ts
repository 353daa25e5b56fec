import { describe, expect, it } from 'vitest';
import { theoreticalOccupancy, variantOccupancy } from './occupancy';

const nvidia = (device: string, architecture = '') => ({ vendor: 'nvidia', architecture, device });
const RTX_3080 = nvidia('NVIDIA GeForce RTX 3080', 'ampere');
const H200 = nvidia('NVIDIA H200');

const percents = (device: typeof H200) =>
  [4, 8, 16, 32].map((TILE) => {
    const variant = { kernel: 'matmul/tiled', tunables: { TILE } };
    return Math.round(100 * (variantOccupancy(device, variant, 'f32')?.part ?? Number.NaN));
  });

describe('theoretical occupancy', () => {
  it("gives what the report's profiler says of its RTX 3080", () => {
    // By block size: percent of the multiprocessor, and its warps.
    for (const [block, percent, warps] of [
      [4, 33.33, 16],
      [8, 66.67, 32],
      [16, 100, 48],
      [32, 66.67, 32],
    ] as const) {
      const found = theoreticalOccupancy(RTX_3080, {
        invocations: block * block,
        workgroupBytes: 2 * block * block * 4,
      });
      expect(100 * (found?.part ?? 0)).toBeCloseTo(percent, 1);
      expect(found?.activeSubgroups).toBe(warps);
    }
    expect(percents(RTX_3080)).toEqual([33, 67, 100, 67]);
  });

  it('knows a device by its name where the family is not told', () => {
    expect(percents(H200)).toEqual([50, 100, 100, 100]);
  });

  it('has what Vulkan gives an H200 of workgroup memory, not CUDA', () => {
    const found = [12, 16, 17, 24, 25, 48].map((kib) =>
      theoreticalOccupancy(H200, { invocations: 128, workgroupBytes: 1024 * kib }),
    );
    expect(found.map((each) => each?.workgroups)).toEqual([4, 3, 2, 2, 1, 1]);
    expect(found.every((each) => each?.limitedBy === 'workgroup memory')).toBe(true);
    expect(
      theoreticalOccupancy(nvidia('NVIDIA GH200 480GB'), {
        invocations: 128,
        workgroupBytes: 16 * 1024,
      })?.workgroups,
    ).toBe(13);
  });

  it('knows a device by its family where the family has one kind of multiprocessor', () => {
    expect(percents(nvidia('', 'lovelace'))).toEqual([50, 100, 100, 67]);
    expect(percents(nvidia('', 'ampere'))).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
  });

  it('says what limits it', () => {
    const limit = (invocations: number, workgroupBytes: number) =>
      theoreticalOccupancy(RTX_3080, { invocations, workgroupBytes })?.limitedBy;
    expect(limit(16, 128)).toBe('workgroups');
    expect(limit(256, 2048)).toBe('threads');
    expect(limit(256, 48 * 1024)).toBe('workgroup memory');
  });

  it('is unknown for other devices and for host kernels', () => {
    const llvmpipe = { vendor: 'mesa', architecture: '', device: 'llvmpipe (LLVM 15.0.6)' };
    const tiled = { kernel: 'matmul/tiled', tunables: {} };
    expect(variantOccupancy(llvmpipe, tiled, 'f32')).toBeNull();
    expect(variantOccupancy(nvidia('NVIDIA GeForce GTX 970'), tiled, 'f32')).toBeNull();
    expect(variantOccupancy(H200, { kernel: 'matmul/cpu-naive', tunables: {} }, 'f32')).toBeNull();
  });
});
