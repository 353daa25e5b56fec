import type { Dtype, OpId, Problem } from '@tilemark/kernels';
import type { Mutant } from './mutant';

/** A transpose that is wrong: `A[rows x cols]` to `B[cols x rows]`. */
function transposed(
  name: string,
  store: string,
  isWrongOn: Mutant['isWrongOn'],
  dtypes: readonly Dtype[] = ['f32', 'i32', 'f16'],
): Mutant {
  return {
    name: `transpose: ${name}`,
    isWrongOn: (problem) => dtypes.includes(problem.dtype) && isWrongOn(problem),
    kernel: {
      id: `transpose/mutant-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      op: 'transpose' satisfies OpId,
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes,
      tunables: [],
      constraints: [],
      wgsl: `struct Shape { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = shape.rows; let cols = shape.cols;
  let row = id.y; let col = id.x;
  if (row >= rows || col >= cols) { return; }
  let value = A[row * cols + col];
  ${store}
}`,
      needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
      workgroups: (_values, { shape }) => {
        const { rows, cols } = shape as { rows: number; cols: number };
        return [Math.ceil(cols / 16), Math.ceil(rows / 16), 1];
      },
    },
  };
}

/** With enough elements for every kind of them. */
const isManifold = ({ shape }: Problem) =>
  Object.values(shape).reduce((all, size) => all * size, 1) >= 512;

const isWide = ({ shape }: Problem) => Object.values(shape).every((size) => size > 1);

/** Transposes, each wrong in one way. */
export const TRANSPOSE: readonly Mutant[] = [
  transposed('copied instead', 'B[row * cols + col] = value;', isWide),
  transposed(
    'one element zeroed',
    'B[col * rows + row] = select(value, T(0), row == rows / 2u && col == cols / 3u);',
    () => true,
  ),
  transposed(
    'last element unwritten',
    'if (row < rows - 1u || col < cols - 1u) { B[col * rows + row] = value; }',
    () => true,
  ),
  transposed(
    'last row left out',
    'if (row < rows - 1u) { B[col * rows + row] = value; }',
    () => true,
  ),
  transposed(
    'two columns swapped',
    'B[col * rows + select(row, 1u - row, row < 2u)] = value;',
    isWide,
  ),
  transposed(
    'one tile not transposed',
    'if (row < 4u && col < 4u) { B[row * rows + col] = value; } else { B[col * rows + row] = value; }',
    ({ shape }) => Object.values(shape).every((size) => size >= 4),
  ),
  transposed(
    'partial tiles of 32 rows left out, where sides are multiples of 4',
    'if (rows % 4u + cols % 4u > 0u || row / 32u * 32u + 32u <= rows) { B[col * rows + row] = value; }',
    ({ shape }) => {
      const { rows, cols } = shape as { rows: number; cols: number };
      return rows % 4 === 0 && cols % 4 === 0 && rows % 32 > 0;
    },
  ),
  transposed(
    'the diagonal block copied, where sides are equal',
    'if (rows == cols && row / 32u == 0u && col / 32u == 0u) { B[row * rows + col] = value; } else { B[col * rows + row] = value; }',
    ({ shape }) => new Set(Object.values(shape)).size === 1,
  ),
  transposed(
    'a megabyte past the end, too',
    'B[col * rows + row] = value; B[rows * cols + 262144u + col * rows + row] = value;',
    () => true,
  ),
  transposed(
    'the element behind A in one place',
    'B[col * rows + row] = select(value, A[rows * cols], row == rows / 2u && col == cols / 3u);',
    () => true,
  ),
  transposed(
    'the low 16 bits of integers',
    'B[col * rows + row] = bitcast<T>((bitcast<u32>(value) << 16u) >> 16u);',
    ({ dtype }) => dtype === 'i32',
    ['i32'],
  ),
  transposed(
    'floats through 11 bits',
    'B[col * rows + row] = bitcast<T>((bitcast<u32>(value) + 0x1000u) & 0xffffe000u);',
    ({ dtype }) => dtype === 'f32',
    ['f32'],
  ),
  transposed(
    'zeros without their sign',
    'let bits = bitcast<u32>(value); B[col * rows + row] = bitcast<T>(select(bits, 0u, bits == 0x80000000u));',
    isManifold,
    ['f32'],
  ),
  transposed(
    'NaN as 0',
    'let bits = bitcast<u32>(value); B[col * rows + row] = bitcast<T>(select(bits, 0u, (bits & 0x7fffffffu) > 0x7f800000u));',
    isManifold,
    ['f32'],
  ),
  transposed(
    'infinities as the largest float',
    'let bits = bitcast<u32>(value); B[col * rows + row] = bitcast<T>(select(bits, bits - 1u, (bits & 0x7fffffffu) == 0x7f800000u));',
    isManifold,
    ['f32'],
  ),
  transposed(
    'denormals as 0',
    'let bits = bitcast<u32>(value); B[col * rows + row] = bitcast<T>(select(bits, 0u, (bits & 0x7f800000u) == 0u));',
    isManifold,
    ['f32'],
  ),
  transposed(
    'values in a range only',
    'B[col * rows + row] = clamp(value, T(-32768), T(32767));',
    ({ shape }) => Object.values(shape).reduce((all, size) => all * size, 1) >= 64,
    ['f32', 'i32'],
  ),
  transposed(
    'one row too many',
    'B[col * rows + row] = value; B[cols * rows + row] = value;',
    () => true,
  ),
];
