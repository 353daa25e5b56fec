import type { RunResult } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { measured, run } from '../../server/test-results';
import { groupRows, rowOf, shortLabels, speedups } from './row';

const naive = (medianNs: number, over: Partial<RunResult> = {}) =>
  rowOf(
    run({
      variant: { kernel: 'matmul/naive', tunables: { BLOCK: 8 } },
      outcome: measured(medianNs),
      ...over,
    }),
  );
const tiled = (TILE: number, medianNs: number, over: Partial<RunResult> = {}) =>
  rowOf(
    run({
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
    const row = rowOf(run({ outcome: { kind: 'skipped', why: 'needs shader-f16' } }));
    expect(row).toMatchObject({ kind: 'skipped', reason: 'needs shader-f16', medianNs: null });
    expect(rowOf(run({ outcome: null })).kind).toBe('pending');
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
    expect([...shortLabels(rows).values()]).toEqual(['tiled · 8', 'tiled · 16', 'naive']);
  });
});

describe('groupRows', () => {
  it('keeps devices apart', () => {
    const elsewhere = tiled(8, 300, { device: { key: 'b', name: 'B', class: 'gpu' } });
    expect(groupRows([tiled(8, 300), elsewhere]).size).toBe(2);
  });
});
