import {
  DTYPES,
  defineOp,
  hostKernel,
  KERNELS,
  OPS,
  type OpId,
  type Tensor,
} from '@tilemark/kernels';

/**
 * Adds a toy op (the sum of each row), its kernel and a dtype (f32 under another name) to the
 * product's tables. Import it before modules that read the tables when they are loaded.
 */
export function addToys(): { readonly op: OpId; readonly kernel: string } {
  const rowSums = defineOp({
    title: 'Row sums',
    dimensions: [
      { name: 'height', letter: 'H' },
      { name: 'width', letter: 'W' },
    ],
    counts: 'bytes',
    rival: 'row-sums/cpu-naive',
    verb: 'adds up',
    tensors: ['A', 'S'],
    inputs: ({ height, width }) => [{ rows: height, cols: width }],
    output: ({ height }) => ({ rows: height, cols: 1 }),
    tiled: (rows, cols) => ({ height: rows, width: cols }),
    flops: ({ height, width }) => height * width,
    terms: ({ width }) => width,
    verification: {
      reference: '',
      steps: ({ width }) => width,
      elements: ({ width }, line, rows) => ({
        values: rows.map((row) =>
          sumOf(line(0, { first: row * width, step: 1, length: width }), 0, width),
        ),
        scales: null,
      }),
    },
  });
  Object.assign(OPS, { 'row-sums': rowSums });
  Object.assign(DTYPES, { f32toy: { ...DTYPES.f32, words: 'f32, for a toy', peak: 'f32' } });
  const op = 'row-sums' as OpId;
  const kernel = hostKernel({
    id: `${op}/cpu-naive`,
    op,
    rung: 1,
    idea: 'Adds up each row',
    dtypes: ['f32', 'f32toy' as 'f32'],
    tunables: [
      { name: 'ORDER', about: 'From which end', values: ['first', 'last'], default: 'first' },
    ],
    constraints: [],
    run: ({ ORDER }, _problem, [a], output, { first, end }) => {
      const width = (a?.length ?? 0) / output.length;
      for (let row = first; row < end; row++) output[row] = sumOf(a, row, width, ORDER === 'last');
    },
  });
  (KERNELS as (typeof kernel)[]).push(kernel);
  return { op, kernel: kernel.id };
}

function sumOf(a: Tensor | undefined, row: number, width: number, isBackward = false): number {
  const values = Array.from(a?.subarray(row * width, (row + 1) * width) ?? []);
  return (isBackward ? values.reverse() : values).reduce((sum, value) => sum + value, 0);
}
