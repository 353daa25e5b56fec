import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { InputError } from '../errors';
import type { OpId } from '../problem/ops';
import type { Problem } from '../problem/problem';
import { changedBy, KERNELS, kernelById, kernelsOf } from './registry';
import { specialise } from './specialise';
import { defaultsOf } from './variant';

const SHAPES: Readonly<Record<OpId, readonly Problem[]>> = {
  matmul: [1, 5, 512].flatMap((side) =>
    [
      { m: side, n: 512, k: 510 },
      { m: 512, n: side, k: 512 },
    ].map((shape) => ({ op: 'matmul', shape, dtype: 'f32' as const })),
  ),
  transpose: [4, 512].map((rows) => ({
    op: 'transpose',
    shape: { rows, cols: 512 },
    dtype: 'f32',
  })),
};

describe.each(KERNELS.map((kernel) => [kernel.id, kernel] as const))('%s', (id, kernel) => {
  test('is named after its op, once, and says what it is', () => {
    expect(id).toMatch(new RegExp(`^${kernel.op}/[a-z0-9-]+$`));
    expect(KERNELS.filter((other) => other.id === id)).toHaveLength(1);
    expect(kernel.idea).not.toBe('');
    expect(kernel.dtypes).not.toEqual([]);
  });

  test('splits by and proposes values of tunables that it declares', () => {
    if (kernel.runsOn !== 'gpu') return;
    const names = kernel.tunables.map(({ name }) => name);
    const proposed = SHAPES[kernel.op].flatMap((problem) => kernel.candidates?.(problem) ?? []);
    const used = [...(kernel.splitBy ?? []), ...proposed.flatMap((values) => Object.keys(values))];
    expect(used.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('declares tunables that a shader, a form and an address can represent', () => {
    for (const { name, values, default: initial, about } of kernel.tunables) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(values).toContain(initial);
      expect(new Set(values).size).toBe(values.length);
      expect(about).not.toBe('');
      for (const value of values) expect(String(value)).toMatch(/^[a-z0-9-]+$/);
    }
  });

  test('has defaults that keep its constraints', () => {
    for (const { holds, reason } of kernel.constraints) {
      expect(holds(defaultsOf(kernel.tunables)), reason).toBe(true);
    }
  });
});

const gpuKernels = KERNELS.flatMap((kernel) => (kernel.runsOn === 'gpu' ? [kernel] : []));

test.each(gpuKernels.map((kernel) => [kernel.id, kernel] as const))(
  '%s asks for threads and has an entry point',
  (_id, kernel) => {
    const values = defaultsOf(kernel.tunables);
    const [dtype = 'f32'] = kernel.dtypes;
    const { workgroupSize } = kernel.needs(values, dtype);
    expect(Math.min(...workgroupSize)).toBeGreaterThan(0);
    expect(specialise(kernel, values, dtype)).toContain('@compute @workgroup_size(');
  },
);

const files = gpuKernels.flatMap(({ wgsl, ...kernel }) =>
  typeof wgsl === 'string' ? [{ ...kernel, wgsl }] : [],
);

test.each(files.map((kernel) => [kernel.id, kernel] as const))(
  '%s has a shader headed by its bindings and every tunable',
  (id, { wgsl, tunables }) => {
    const header = wgsl.slice(0, wgsl.indexOf('struct Shape'));
    expect(header).toContain(`// ${id}: `);
    expect(header).toContain('// bindings  0 A');
    for (const { name } of tunables) expect(header).toContain(name);
  },
);

test('a ladder has one kernel a rung, the GPU before the host', () => {
  for (const op of ['matmul', 'transpose'] as const) {
    const ladder = kernelsOf(op);
    const rungs = ladder.map(({ runsOn, rung }) => `${runsOn} ${rung}`);
    expect(new Set(rungs).size).toBe(rungs.length);
    const firstHost = ladder.findIndex(({ runsOn }) => runsOn === 'cpu');
    expect(ladder.slice(firstHost).every(({ runsOn }) => runsOn === 'cpu')).toBe(true);
  }
});

test('an unknown kernel is named with those there are', () => {
  expect(() => kernelById('matmul/none', 'cases[0].kernel')).toThrow(InputError);
  expect(() => kernelById('matmul/none')).toThrow('matmul/naive');
});

test.each(['matmul', 'transpose'] as const)('changes in %s the rung that the README says', (op) => {
  const path = `../${op}/README.md`;
  const readme = readFileSync(new URL(path, import.meta.url), 'utf8');
  const told = [...readme.matchAll(/^(?:## |\*\*)(\d+) → (\d+): /gm)].map(([, from, to]) => [
    Number(to),
    Number(from),
  ]);
  const ladder = kernelsOf(op).filter(({ runsOn }) => runsOn === 'gpu');
  const shown = ladder.flatMap((kernel) => {
    const changed = changedBy(kernel);
    return changed ? [[kernel.rung, changed.rung]] : [];
  });
  const byRung = ([a = 0]: number[], [b = 0]: number[]) => a - b;
  expect(told.length).toBeGreaterThan(4);
  expect(shown.toSorted(byRung)).toEqual(told.toSorted(byRung));
});
