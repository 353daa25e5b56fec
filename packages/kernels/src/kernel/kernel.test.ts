import { expect, test } from 'vitest';
import { gpuKernel } from './kernel';

// What matters is that this compiles: a `@ts-expect-error` is itself an error if the next line has
// none.
test('a value that no tunable lists does not compile', () => {
  const kernel = gpuKernel({
    id: 'matmul/typed',
    op: 'matmul',
    rung: 0,
    idea: 'Typed tunables',
    dtypes: ['f32'],
    tunables: [
      { name: 'TILE', about: 'Side of a tile', values: [8, 16], default: 8 },
      { name: 'BOUNDS', about: 'Bounds check', values: ['or', 'none'], default: 'or' },
    ],
    constraints: [
      { reason: 'a declared word', holds: (values) => values.BOUNDS !== 'none' },
      // @ts-expect-error BOUNDS has no value 'nome'
      { reason: 'a misspelt word', holds: (values) => values.BOUNDS !== 'nome' },
      // @ts-expect-error TILE has no value 12
      { reason: 'an undeclared number', holds: (values) => values.TILE === 12 },
      // @ts-expect-error there is no tunable TILES
      { reason: 'a misspelt name', holds: (values) => values.TILES === 8 },
    ],
    problemConstraints: [
      // @ts-expect-error a shape of matmul has no rows
      { reason: 'a misspelt dimension', holds: (_values, { shape }) => shape.rows > 0 },
    ],
    wgsl: '',
    needs: ({ TILE }) => ({ workgroupSize: [TILE, TILE, 1], workgroupBytes: 0, features: [] }),
    workgroups: () => [1, 1, 1],
  });
  expect(kernel.constraints.map(({ holds }) => holds({ TILE: 8, BOUNDS: 'or' }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
