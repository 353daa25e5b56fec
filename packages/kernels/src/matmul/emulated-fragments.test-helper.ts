import type { GpuKernel, TunableValues } from '../kernel/kernel';
import { areBytes, DTYPES, type Dtype } from '../problem/dtype';

/**
 * A kernel of fragments for devices without matrix units, to test the kernel's staging, edges and
 * stores. A loaded fragment is only its location and is read when multiplied; each lane sums and
 * stores its share of the elements.
 */
export const emulated = (kernel: GpuKernel): GpuKernel => ({
  ...kernel,
  id: 'matmul/emulated-fragments',
  needs: (values, dtype) => {
    const { workgroupBytes, workgroupSize } = kernel.needs(values, dtype);
    return { workgroupBytes, workgroupSize, features: [] };
  },
  wgsl: emulatedIn(kernel.wgsl),
});

function emulatedIn(wgsl: GpuKernel['wgsl']): GpuKernel['wgsl'] {
  return (values, dtype, written) => {
    if (typeof wgsl !== 'function') throw new TypeError('the kernel is emitted');
    return wgsl(values, dtype, written)
      .replace(/^alias (Left|Right|Sums) = subgroup_matrix_.*$/gm, '')
      .replace(/^@diagnostic.*$/gm, '')
      .replace(/^ {2}let warp = thread \/ (\d+)/gm, '  own_lane = thread % $1;\n$&')
      .replace(/subgroupMatrixLoad<Left, row_major>\(&a_tile, /g, 'Fragment(false, ')
      .replace(/subgroupMatrixLoad<Right, row_major>\(&b_tile, /g, 'Fragment(false, ')
      .replace(/subgroupMatrixLoad<Right, col_major>\(&b_tile, /g, 'Fragment(true, ')
      .replace(/subgroupMatrixStore<row_major>\(&a_tile, /g, 'store_sums(')
      .replaceAll('subgroupMatrixMultiplyAccumulate', 'multiply_accumulate')
      .concat(operations(fragmentOf(values, dtype), dtype));
  };
}

interface Emulated {
  readonly rows: number;
  readonly columns: number;
  readonly steps: number;
  readonly lanes: number;
}

/** Rung 15 has short fragments and a tunable for subgroups; of bytes, there are twice the steps. */
const fragmentOf = (
  { FRAGMENT, FRAGMENT_N, SUBGROUP = 32 }: TunableValues,
  dtype: Dtype,
): Emulated =>
  FRAGMENT === undefined
    ? { rows: 16, columns: Number(FRAGMENT_N), steps: areBytes(dtype) ? 32 : 16, lanes: 32 }
    : { rows: 8, columns: Number(FRAGMENT), steps: Number(FRAGMENT), lanes: Number(SUBGROUP) };

/** The fragment operations, for `rows` x `steps` times `steps` x `columns`. */
function operations({ columns, lanes, rows, steps }: Emulated, dtype: Dtype): string {
  const { sums } = DTYPES[dtype];
  const share = (rows * columns) / lanes;
  const [unpacked, operand, perWord] = areBytes(dtype)
    ? ['unpack4xI8', 'i32', 4]
    : ['unpack2x16float', 'f32', 2];
  const element = (tile: string, row: string, col: string) =>
    `${unpacked}(${tile}[m.at + ${row} * m.pitch + ${col} / ${4 * perWord}][${col} / ${perWord} % 4])[${col} % ${perWord}]`;
  return `
struct Fragment { is_transposed: bool, at: u32, pitch: u32 }
struct Sums { e: array<${sums}, ${share}> }
var<private> own_lane: u32;

// A length that is not constant: a software GPU would spend minutes on unrolled loops.
fn some(length: u32) -> u32 {
  return length * min(shape.m, 1);
}

fn left(m: Fragment, row: u32, col: u32) -> ${operand} {
  return ${element('a_tile', 'row', 'col')};
}
fn right(m: Fragment, row: u32, col: u32) -> ${operand} {
  let line = select(row, col, m.is_transposed);
  let place = select(col, row, m.is_transposed);
  return ${element('b_tile', 'line', 'place')};
}
fn multiply_accumulate(a: Fragment, b: Fragment, sums: Sums) -> Sums {
  var c = sums;
  for (var i = 0u; i < some(${share}); i++) {
    let at = own_lane * ${share} + i;
    for (var k = 0u; k < some(${steps}); k++) {
      c.e[i] += ${sums}(left(a, at / ${columns}, k) * right(b, k, at % ${columns}));
    }
  }
  return c;
}
fn store_sums(to: u32, sums: Sums, pitch: u32) {
  var c = sums;
  for (var i = 0u; i < some(${share}); i += ${sums === 'f16' ? 2 : 1}) {
    let at = own_lane * ${share} + i;
    let col = at % ${columns};
    ${
      sums === 'f16'
        ? `a_tile[to + at / ${columns} * pitch + col / 8][col % 8 / 2] =
      bitcast<u32>(vec2(c.e[i], c.e[i + 1]));`
        : `a_tile[to + at / ${columns} * pitch + col / 4][col % 4] = bitcast<u32>(c.e[i]);`
    }
  }
}`;
}
