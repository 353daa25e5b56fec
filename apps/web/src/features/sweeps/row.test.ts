import type { RunResult } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { headline, measured } from '../../server/test-results';
import { groupRows, rowOf, shortLabels, speedups } from './row';

const naive = (medianNs: number, over: Partial<RunResult> = {}) =>
  rowOf(
    headline({
      variant: { kernel: 'matmul/naive', tunables: { BLOCK: 8 } },
      outcome: measured(medianNs),
      ...over,
    }),
  );
const tiled = (TILE: number, medianNs: number, over: Partial<RunResult> = {}) =>
  rowOf(
    headline({
      variant: { kernel: 'matmul/tiled', tunables: { TILE, A_LAYOUT: 'row' } },
      outcome: measured(medianNs),
      ...over,
    }),
  );

describe('rowOf', () => {
  it('leaves the samples behind', () => {
    expect(JSON.stringify(naive(1000))).not.toContain('samplesNs');
  });

  it('says why a run has no number', () => {
    const row = rowOf(headline({ outcome: { kind: 'skipped', why: 'needs shader-f16' } }));
    expect(row).toMatchObject({ kind: 'skipped', reason: 'needs shader-f16', medianNs: null });
    expect(rowOf(headline({ outcome: null })).kind).toBe('pending');
  });

  it('says how near the roof it came, where the device has one', () => {
    const roofed = measured(200, { roof: { ns: 50, bound: 'compute' } });
    expect(rowOf(headline({ outcome: roofed })).roof).toEqual({ share: 0.25, bound: 'compute' });
    expect(rowOf(headline({ outcome: measured(200) })).roof).toBeNull();
    // 2 x 512^3 operations over three matrices of 512^2 floats.
    expect(rowOf(headline()).flopPerByte).toBeCloseTo(512 / 6);
  });
});

describe('speedups', () => {
  it('compares with the fastest naive of the same problem, device and profile', () => {
    const rows = [naive(1000), naive(800), tiled(16, 200)];
    const [, , fast] = rows;
    expect(speedups(rows).get(fast!.runId)).toBe(4);
  });

  it('never compares across profiles, and leaves out what has no naive beside it', () => {
    const other = tiled(16, 200, { profile: 'fast' });
    expect(speedups([naive(1000), other]).has(other.runId)).toBe(false);
  });
});

describe('shortLabels', () => {
  it('keeps only the tunables that differ', () => {
    const rows = [tiled(8, 300), tiled(16, 200), naive(1000)];
    expect([...shortLabels(rows).values()]).toEqual(['tiled · TILE=8', 'tiled · TILE=16', 'naive']);
  });

  it('tells equal values of different tunables apart', () => {
    const layout = (tunables: Record<string, string>) =>
      rowOf(headline({ variant: { kernel: 'matmul/tiled', tunables }, outcome: measured(100) }));
    const rows = [
      layout({ A_LAYOUT: 'col', B_LAYOUT: 'row' }),
      layout({ A_LAYOUT: 'row', B_LAYOUT: 'col' }),
    ];
    expect([...shortLabels(rows).values()]).toEqual([
      'tiled · A_LAYOUT=col · B_LAYOUT=row',
      'tiled · A_LAYOUT=row · B_LAYOUT=col',
    ]);
  });
});

describe('groupRows', () => {
  it('keeps devices apart', () => {
    const elsewhere = tiled(8, 300, { device: { key: 'b', name: 'B', class: 'gpu' } });
    expect(groupRows([tiled(8, 300), elsewhere]).size).toBe(2);
  });
});
