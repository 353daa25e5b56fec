import { feasible, InputError } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import type { DeviceCapabilities } from '../measure/device';
import { expand } from '../plan/expansion';
import { specSchema } from '../plan/spec';
import { findSuite, SUITES, standingSuites, suiteRef, suiteSpec } from './suites';

const capabilities: DeviceCapabilities = {
  features: [
    'chromium-experimental-subgroup-matrix',
    'packed_4x8_integer_dot_product',
    'shader-f16',
    'subgroup-matrix-f16-f16-16x16x16',
    'subgroup-matrix-f32-f16-16x16x16',
    'subgroup-size-32',
    'subgroups',
  ],
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 49_152,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 2 ** 31 - 4,
  maxBufferSize: 2 ** 31 - 4,
};
const DEVICES = [
  { key: 'gpu', class: 'gpu', capabilities },
  { key: 'cpu', class: 'cpu', capabilities },
] as const;

const fieldOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error.field;
    throw error;
  }
  throw new Error('expected an InputError');
};

describe.each(SUITES.map((suite) => [suite.id, suite] as const))('%s', (id, suite) => {
  it('is a valid sweep at its defaults and at the ends of every parameter', () => {
    const ends = (['min', 'max'] as const).map((end) =>
      Object.fromEntries(suite.params.map((param) => [param.name, param[end]])),
    );
    for (const params of [{}, ...ends]) {
      const spec = suiteSpec(id, params);
      expect(specSchema.parse(spec)).toEqual(spec);
      expect(expand(spec, DEVICES).length).toBeGreaterThan(0);
    }
  });

  it('asks for nothing that a large device cannot run', () => {
    for (const { variant, problem } of expand(suiteSpec(id), DEVICES)) {
      expect(feasible(variant, problem, capabilities)).toEqual({ ok: true });
    }
  });

  it('has defaults inside their ranges', () => {
    for (const param of suite.params) {
      expect(param.default).toBeGreaterThanOrEqual(param.min);
      expect(param.default).toBeLessThanOrEqual(param.max);
    }
  });
});

describe('suites', () => {
  it('have distinct names and a reference with the version', () => {
    expect(new Set(SUITES.map((suite) => suite.id)).size).toBe(SUITES.length);
    expect(suiteRef(findSuite('starter'))).toMatch(/^starter@\d+$/);
  });

  it('name the field at fault', () => {
    expect(fieldOf(() => suiteSpec('nope'))).toBe('suite');
    expect(fieldOf(() => suiteSpec('layouts', { size: 4 }))).toBe('params.size');
    expect(fieldOf(() => suiteSpec('layouts', { n: 0 }))).toBe('params.n');
    expect(fieldOf(() => suiteSpec('layouts', { n: 64.5 }))).toBe('params.n');
    expect(fieldOf(() => suiteSpec('layouts', { n: Number.NaN }))).toBe('params.n');
    expect(() => suiteSpec('layouts', { n: 0 })).toThrow(
      'n must be a whole number from 16 to 16384, not 0.',
    );
    // Text that is not a number is not reported as NaN.
    expect(() => suiteSpec('layouts', { n: Number.NaN })).toThrow(
      'n must be a whole number from 16 to 16384.',
    );
  });

  it('layouts are Basic, RR, RC, CR and CC with x along rows', () => {
    const runs = expand(suiteSpec('layouts', { n: 512 }), DEVICES);
    expect(runs.map(({ variant }) => variant)).toMatchObject([
      { kernel: 'matmul/naive', tunables: { BLOCK: 16, MAPPING: 'row-x' } },
      ...['row row', 'row col', 'col row', 'col col'].map((pair) => {
        const [A_LAYOUT, B_LAYOUT] = pair.split(' ');
        return {
          kernel: 'matmul/tiled',
          tunables: { TILE: 16, A_LAYOUT, B_LAYOUT, MAPPING: 'row-x' },
        };
      }),
    ]);
  });

  it('micro-optimisations measure their base once', () => {
    const runs = expand(suiteSpec('micro-optimisations'), DEVICES);
    expect(runs).toHaveLength(1 + 1 + 1 + 2 + 1 + 5);
  });

  it('threads-per-block is the published grid', () => {
    expect(expand(suiteSpec('threads-per-block'), DEVICES)).toHaveLength(48);
  });

  it('transpose-ladder has its ceiling and every rung', () => {
    const kernels = expand(suiteSpec('transpose-ladder'), DEVICES).map((run) => run.variant.kernel);
    expect(kernels.slice(0, 4)).toEqual([
      'transpose/copy',
      'transpose/naive',
      'transpose/tiled',
      'transpose/padded',
    ]);
  });
});

const runs = (deviceClass: 'gpu' | 'software' | 'cpu') =>
  standingSuites(deviceClass).flatMap(({ spec }) =>
    expand(spec, [{ key: 'd', class: deviceClass }]),
  );

it('gives every class something to run, the starter suite first', () => {
  for (const deviceClass of ['gpu', 'software', 'cpu'] as const) {
    expect(standingSuites(deviceClass)[0]?.suite.id).toBe('starter');
    expect(runs(deviceClass).length).toBeGreaterThan(0);
  }
  expect(standingSuites('browser').map(({ suite }) => suite.id)).toEqual(['quick']);
});

it('is bounded where the device is slow: few runs, and none of more than 1 GFLOP', () => {
  for (const deviceClass of ['software', 'cpu'] as const) {
    const planned = runs(deviceClass);
    expect(planned.length).toBeLessThanOrEqual(20);
    for (const { problem } of planned) {
      if (problem.op !== 'matmul') continue;
      const { m, n, k } = problem.shape;
      expect(2 * m * n * k).toBeLessThanOrEqual(1e9);
    }
  }
});
