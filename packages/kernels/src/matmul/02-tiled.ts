import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel, Tunable, TunableValues } from '../kernel';
import { numberOf } from '../values';
import wgsl from './02-tiled.wgsl';
import { gridOverC } from './grid';
import { matmulShape } from './op';
import { MAPPING } from './tunables';

const TILES = [1, 2, 4, 8, 16, 32];

const layout = (name: string, tensor: string): Tunable => ({
  name,
  about: `The tile of ${tensor} in workgroup memory: as in ${tensor} (row) or transposed (col)`,
  values: ['row', 'col'],
  default: 'row',
});

export const tiled: GpuKernel = {
  id: 'matmul/tiled',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 2,
  idea: 'Square tiles of A and B in workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of a tile, and threads along each side of a workgroup',
      values: TILES,
      default: 16,
    },
    layout('A_LAYOUT', 'A'),
    layout('B_LAYOUT', 'B'),
    MAPPING,
    {
      name: 'UNROLL',
      about: 'Products written out in one turn of the inner loop',
      values: [1, 2, 3, 4, 8, 'full'],
      default: 1,
    },
    {
      name: 'INDEXING',
      about: 'Addresses recomputed from indices at every tile, or hoisted and added to',
      values: ['recomputed', 'hoisted'],
      default: 'recomputed',
    },
    {
      name: 'SIZING',
      about: 'Workgroup memory sized when the shader is compiled (const) or later (override)',
      values: ['const', 'override'],
      default: 'const',
    },
    {
      name: 'BOUNDS',
      about: 'How a thread asks whether it is outside: !(a && b), a || b, or not at all',
      values: ['and-not', 'or', 'none'],
      default: 'and-not',
    },
    {
      name: 'MULADD',
      about: 'The inner step: a * b + sum, or fma(a, b, sum)',
      values: ['mul-add', 'fma'],
      default: 'mul-add',
    },
  ],
  constraints: [
    {
      reason: 'UNROLL must be at most TILE: a tile has no more products than that',
      holds: ({ UNROLL, TILE }) => UNROLL === 'full' || Number(UNROLL) <= Number(TILE),
    },
  ],
  problemConstraints: [
    {
      reason: 'BOUNDS=none needs dimensions that are multiples of TILE',
      holds: (values, problem) => {
        const { m, n, k } = matmulShape(problem);
        const tile = numberOf(values, 'TILE');
        return values.BOUNDS !== 'none' || [m, n, k].every((size) => size % tile === 0);
      },
    },
    {
      reason: 'MULADD=fma needs a floating dtype: integers have no fma',
      holds: (values, { dtype }) => values.MULADD !== 'fma' || dtype !== 'i32',
    },
  ],
  wgsl: (values) => wgsl + addProducts(values),
  overrides: ({ SIZING }) => (SIZING === 'override' ? ['TILE'] : []),
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: 2 * tile * tile * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverC(values, problem, tile, tile);
  },
};

/**
 * The function `add_products`: UNROLL products in a turn of its loop, then one by one
 * those that TILE leaves over. Written so that Tint can prove what it would else guard
 * at run time (H200, profile `default`, 2026-11-21):
 * - `% TILE` shows that indices are inside the tile, with no clamp: 6.1 -> 8.0 TFLOP/s;
 * - a loop that counts by one up to a constant gets no counter of Tint's own against
 *   endless loops: UNROLL=2 3.9 -> 6.1 TFLOP/s.
 */
function addProducts(values: TunableValues): string {
  const tile = numberOf(values, 'TILE');
  const unroll = values.UNROLL === 'full' ? tile : numberOf(values, 'UNROLL');
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
