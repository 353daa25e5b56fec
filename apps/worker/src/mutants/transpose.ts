import type { OpId, Problem } from '@tilemark/kernels';
import type { Mutant } from './mutant';

/** A transpose that is wrong: `A[rows x cols]` to `B[cols x rows]`. */
function transposed(name: string, store: string, isWrongOn: Mutant['isWrongOn']): Mutant {
  return {
    name: `transpose: ${name}`,
    isWrongOn,
    kernel: {
      id: `transpose/mutant-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      op: 'transpose' satisfies OpId,
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes: ['f32', 'i32', 'f16'],
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
    'one row too many',
    'B[col * rows + row] = value; B[cols * rows + row] = value;',
    () => true,
  ),
];
