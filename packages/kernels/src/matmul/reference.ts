import type { Order } from '../problem/dtype';
import type { Tensor } from '../problem/scalar';
import type { ElementsInF64, InputLine } from '../verify/verification';
import type { MatmulShape } from './op';

/** Elements between neighbouring columns of B in memory, and between the steps of one. */
export const columnsOfB = ({ n, k }: MatmulShape, order: Order | undefined) =>
  order === 'transposed' ? { pitch: k, step: 1 } : { pitch: 1, step: n };

/** The elements where some rows and columns of a batch's products meet, in f64, with |a||b| of each. */
export function someElements(
  shape: MatmulShape,
  line: InputLine,
  rows: readonly number[],
  cols: readonly number[],
  [, order]: readonly Order[],
): ElementsInF64 {
  const { m, n, k } = shape;
  const { pitch, step } = columnsOfB(shape, order);
  const values = new Float64Array(rows.length * cols.length);
  const scales = new Float64Array(values.length);
  const columns = new Map<number, readonly (readonly [Tensor, number])[]>();
  for (const [i, row] of rows.entries()) {
    const product = Math.floor(row / m);
    if (!columns.has(product)) {
      const column = (col: number) =>
        line(1, { first: product * k * n + col * pitch, step, length: k });
      columns.set(
        product,
        cols.map(column).map((b) => [b, norm(b)] as const),
      );
    }
    const a = line(0, { first: row * k, step: 1, length: k });
    const ofRow = norm(a);
    for (const [j, [b, ofCol]] of (columns.get(product) ?? []).entries()) {
      values[i * cols.length + j] = dot(a, b);
      scales[i * cols.length + j] = ofRow * ofCol;
    }
  }
  return { values, scales };
}

/** Products of two f32 are exact in f64, so a sum's error is about K 2^-53: negligible beside the bounds. */
function dot(a: Tensor, b: Tensor): number {
  // Four sums: one would wait for each addition.
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let p = 0;
  for (; p + 4 <= a.length; p += 4) {
    s0 += (a[p] as number) * (b[p] as number);
    s1 += (a[p + 1] as number) * (b[p + 1] as number);
    s2 += (a[p + 2] as number) * (b[p + 2] as number);
    s3 += (a[p + 3] as number) * (b[p + 3] as number);
  }
  for (; p < a.length; p++) s0 += (a[p] as number) * (b[p] as number);
  return s0 + s1 + (s2 + s3);
}

const norm = (line: Tensor): number => Math.sqrt(dot(line, line));
