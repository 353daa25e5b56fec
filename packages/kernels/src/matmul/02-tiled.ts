import { gpuKernel, type Tunable, tunable, type ValuesOf } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './02-tiled.wgsl?raw';
import { gridOverC, MAPPING } from './grid';
import { overElements } from './memory';

const layout = <const Name extends string>(name: Name, tensor: string) =>
  ({
    name,
    about: `The tile of ${tensor} in workgroup memory: as in ${tensor} (row) or transposed (col)`,
    values: ['row', 'col'],
    default: 'row',
  }) as const satisfies Tunable;

const TUNABLES = [
  tunable(
    'TILE',
    'Side of a tile, and threads along each side of a workgroup',
    [1, 2, 4, 8, 16, 32],
    16,
  ),
  layout('A_LAYOUT', 'A'),
  layout('B_LAYOUT', 'B'),
  MAPPING,
  tunable('UNROLL', 'Products per iteration of the inner loop', [1, 2, 3, 4, 8, 'full'], 1),
  tunable(
    'INDEXING',
    'Addresses recomputed from indices for every tile, or hoisted and incremented',
    ['recomputed', 'hoisted'],
    'recomputed',
  ),
  tunable(
    'SIZING',
    'Workgroup memory sized by a constant, or by an override set with the pipeline',
    ['const', 'override'],
    'const',
  ),
  tunable(
    'BOUNDS',
    'Bounds check of a thread: !(a && b), a || b, or none',
    ['and-not', 'or', 'none'],
    'and-not',
  ),
  tunable(
    'MULADD',
    'The inner step: a * b + sum, or fma(a, b, sum)',
    ['mul-add', 'fma'],
    'mul-add',
  ),
] as const;

export const tiled = gpuKernel({
  id: 'matmul/tiled',
  op: 'matmul',
  rung: 2,
  idea: 'Square tiles of A and B in workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'UNROLL must be at most TILE, the number of products per tile',
      holds: ({ UNROLL, TILE }) => UNROLL === 'full' || UNROLL <= TILE,
    },
  ],
  problemConstraints: [
    {
      reason: 'BOUNDS=none needs every dimension to be a multiple of TILE',
      holds: ({ BOUNDS, TILE }, { shape: { m, n, k } }) =>
        BOUNDS !== 'none' || [m, n, k].every((size) => size % TILE === 0),
    },
    {
      reason: 'MULADD=fma needs a floating-point dtype: integers have no fma',
      holds: (values, { dtype }) => values.MULADD !== 'fma' || !DTYPES[dtype].isInteger,
    },
  ],
  wgsl: (values, dtype, written) =>
    `${overElements(wgsl)(values, dtype, written)}${addProducts(values)}`,
  batches: true,
  overrides: ({ SIZING }) => (SIZING === 'override' ? ['TILE'] : []),
  needs: ({ TILE }, dtype) => ({
    workgroupSize: [TILE, TILE, 1],
    workgroupBytes: 2 * TILE * TILE * DTYPES[dtype].bytes,
  }),
  workgroups: (values, { shape }) => gridOverC(shape, values.TILE, values.TILE, values),
});

/**
 * The function `add_products`: UNROLL products per iteration, then the remainder of TILE one by
 * one. Written so that Tint can prove what it would otherwise guard at run time (H200, profile
 * `default`, 2026-11-21):
 * - `% TILE` proves that indices are inside the tile, so they are not clamped: 6.1 -> 8.0 TFLOP/s;
 * - a loop that counts by one up to a constant needs no counter against infinite loops:
 *   UNROLL=2 3.9 -> 6.1 TFLOP/s.
 */
function addProducts(values: ValuesOf<typeof TUNABLES>): string {
  const tile = values.TILE;
  const unroll = values.UNROLL === 'full' ? tile : values.UNROLL;
  const looped = unroll === tile ? 0 : tile - (tile % unroll);
  const step = (p: string) => {
    const a = `Acc(a_tile[${values.A_LAYOUT === 'col' ? `${p} * TILE + row` : `row * TILE + ${p}`}])`;
    const b = `Acc(b_tile[${values.B_LAYOUT === 'col' ? `col * TILE + ${p}` : `${p} * TILE + col`}])`;
    return values.MULADD === 'fma' ? `sum = fma(${a}, ${b}, sum);` : `sum += ${a} * ${b};`;
  };
  const turn = Array.from({ length: unroll }, (_, i) => step(i === 0 ? 'p' : `(p + ${i})`));
  const rest = Array.from({ length: tile - looped }, (_, i) => step(`${looped + i}`));
  return [
    'fn add_products(start: Acc, i: u32, j: u32) -> Acc {',
    '  let row = i % TILE;',
    '  let col = j % TILE;',
    '  var sum = start;',
    ...(looped > 0
      ? [
          `  for (var turn = 0u; turn < ${unroll === 1 ? 'TILE' : looped / unroll}; turn++) {`,
          `    let p = turn * ${unroll};`,
          ...turn.map((line) => `    ${line}`),
          '  }',
        ]
      : []),
    ...rest.map((line) => `  ${line}`),
    '  return sum;',
    '}',
    '',
  ].join('\n');
}
