import { valuesTable } from '../kernel/combinations';
import { gpuKernel, tunable, type ValuesOf, type WrittenFor } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import { areBytes, DTYPES, type Dtype, packedDots } from '../problem/dtype';
import { addendReadersOf, addendsOf } from '../problem/storage';
import strips from './14-rows-of-weights.json';
import { FOLDED, foldedGrid } from './grid';
import { each, indent } from './lines';
import { matrices, scalesOf, storageOf, stored, type View } from './memory';
import { fourHalves, perLoadOf, vectorOf, WORDS } from './weight-vectors';

const ROWS = [1, 2, 3, 4, 6, 8];

const TUNABLES = [
  tunable('ROWS', 'Rows of C per workgroup: each load of weights serves as many', ROWS, 1),
  tunable(
    'COLS',
    'Rows of weights per group of lanes: each load of A serves as many',
    [1, 2, 4, 8],
    2,
  ),
  tunable('LANES', 'Threads that share a row of weights along K', [8, 16, 32, 64, 128], 32),
  tunable('THREADS', 'Threads per workgroup', [32, 64, 128, 256], 128),
  tunable('UNROLL', 'Steps along K whose loads are in flight at once', [1, 2, 4], 2),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/**
 * Few rows times weights stored by rows, N x K: what a language model does for each token. A row of
 * weights is read once, 16 bytes a thread, by lanes that share it along K; they add up in workgroup
 * memory, and one dispatch is all. Weights in blocks are decoded in registers.
 */
export const rowsOfWeights = gpuKernel({
  id: 'matmul/rows-of-weights',
  op: 'matmul',
  rung: 14,
  changes: 'matmul/few-rows',
  idea: 'Lanes share each row of B (N × K) along K, 16 bytes a load, one dispatch: bound by bytes',
  dtypes: ['f32-nt', 'f16-nt', 'f16-q8', 'f16-q4', 'f32-q4', 'f32-q4z', 'q8-q8', 'i8-nt'],
  tunables: TUNABLES,
  constraints: [
    { reason: 'LANES must be at most THREADS', holds: ({ LANES, THREADS }) => LANES <= THREADS },
    {
      reason: 'ROWS × COLS must be at most 16: more sums would not fit in registers',
      holds: ({ ROWS, COLS }) => ROWS * COLS <= 16,
    },
    {
      reason: 'COLS × UNROLL must be at most 8: more loads would not fit in registers',
      holds: ({ COLS, UNROLL }) => COLS * UNROLL <= 8,
    },
  ],
  wgsl: emitRows,
  batches: true,
  entryPoint: (_values, { dtype, shape }) =>
    shape.k % vectorOf(dtype).elements === 0 ? 'main' : 'unaligned',
  needs: (values, dtype) => ({
    workgroupSize: [values.THREADS, 1, 1],
    workgroupBytes: 4 * values.ROWS * values.COLS * values.THREADS,
    features: packedDots(dtype),
  }),
  threadsPerSum: ({ LANES }) => LANES,
  workgroups: (values, { shape: { b = 1, m, n } }) =>
    foldedGrid(ceilDiv(n, columnsOf(values)), b * ceilDiv(m, values.ROWS)),
  splitBy: ['ROWS'],
  work: ({ LANES, ROWS }, { dtype, shape: { k } }) => ({
    steps: ceilDiv(k, LANES * vectorOf(dtype).elements),
    sums: ROWS,
  }),
  candidates: ({ dtype, shape: { m, k } }) => {
    if (m > 16) return [];
    // As many as there are, and the next: a search that never saw two rows knows three.
    const fitting = ROWS.filter((rows) => rows >= m).slice(0, 2);
    const vectors = k / vectorOf(dtype).elements;
    return (fitting.length > 0 ? fitting : [8]).flatMap((rows) =>
      STRIPS.filter(
        ({ COLS, LANES }) => rows * Number(COLS) <= 16 && Number(LANES) <= 2 * vectors,
      ).map((strip) => ({ ...strip, ROWS: rows })),
    );
  },
});

const STRIPS = valuesTable(strips);

/** Rows of weights, which are columns of C, per workgroup. */
const columnsOf = ({ COLS, LANES, THREADS }: Values) => (COLS * THREADS) / LANES;

function emitRows(values: Values, dtype: Dtype, { batched, epilogue }: WrittenFor): string {
  const { ROWS, COLS, LANES, THREADS } = values;
  const { type } = vectorOf(dtype);
  const { sums: ofSums } = DTYPES[dtype];
  const scales = scalesOf(dtype);
  const element = areBytes(dtype) ? 'u32' : 'T';
  const storage = storageOf(dtype, 'B');
  const sums = each(ROWS, (row) => each(COLS, (col) => `sum${row}_${col}`)).flat();
  const written = { weights: dtype, batched, epilogue };
  const single = (name: string): View[] => (scales ? [] : [[name, element]]);
  return `${matrices(written, {
    A: [['A_vectors', perLoadOf(dtype) > 4 ? 'vec4u' : 'vec4f'], ...single('A')],
    B: [['B_vectors', type], ...single('B')],
    C: [['C', 'T']],
  })}
${scales ? addendReadersOf('B', storage) : ''}
// The share of each lane in each sum.
var<workgroup> shares: array<array<${ofSums}, ${THREADS}>, ${ROWS * COLS}>;

fn add_up_and_store(thread: u32, col: u32, strip: u32) {
  let lane = thread % ${LANES}u;
  for (var half = ${LANES / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
${indent(
  3,
  sums.map((_, at) => `shares[${at}][thread] += shares[${at}][thread + half];`),
)}
    }
  }
  // The first lanes have a sum each to store, where there are as many.
  workgroupBarrier();
  let product = strip / ((shape.m + ${ROWS - 1}u) / ${ROWS}u);
  let first = strip % ((shape.m + ${ROWS - 1}u) / ${ROWS}u) * ${ROWS}u;
  for (var at = lane; at < ${ROWS * COLS}u; at += ${LANES}u) {
    let row = first + at / ${COLS}u;
    let to = col + at % ${COLS}u;
    if (row < shape.m && to < shape.n) {
      C[(product * shape.m + row) * shape.n + to] = ${stored(written, 'shares[at][thread - lane]', 'to')};
    }
  }
}
${entryPoint(values, dtype, batched, 'main')}
${scales ? '' : entryPoint(values, dtype, batched, 'unaligned')}`;
}

function entryPoint(
  values: Values,
  dtype: Dtype,
  isBatch: boolean,
  name: 'main' | 'unaligned',
): string {
  const { ROWS, COLS, LANES, THREADS, UNROLL } = values;
  const rows = each(ROWS, (row) => row);
  const cols = each(COLS, (col) => col);
  const { elements } = vectorOf(dtype);
  const inVectors = name === 'main';
  const one = areBytes(dtype) ? 'shape.k / 4u' : 'shape.k';
  const pitch = inVectors ? `shape.k / ${elements}u` : one;
  const aPitch = inVectors ? `shape.k / ${perLoadOf(dtype)}u` : one;
  const sums = rows.flatMap((row) => cols.map((col) => `sum${row}_${col}`));
  const step = inVectors ? vectorStep(values, dtype) : elementStep(values, dtype);
  // A product of a batch, then a strip of its rows.
  const strips = `(shape.m + ${ROWS - 1}u) / ${ROWS}u`;
  const [product, strip] = isBatch
    ? [`group.z / (${strips})`, `group.z % (${strips})`]
    : ['0u', 'group.z'];
  return `
@compute @workgroup_size(${THREADS})
fn ${name}(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = ${FOLDED};
  if (number * ${columnsOf(values)}u >= shape.n) {
    return;
  }
  let lane = thread % ${LANES}u;
  let col = number * ${columnsOf(values)}u + thread / ${LANES}u * ${COLS}u;
  let pitch = ${pitch};
${indent(1, [
  ...cols.map(
    (i) => `let b${i} = (${product} * shape.n + min(col + ${i}u, shape.n - 1u)) * pitch;`,
  ),
  ...rows.map(
    (i) =>
      `let a${i} = (${product} * shape.m + min(${strip} * ${ROWS}u + ${i}u, shape.m - 1u)) * (${aPitch});`,
  ),
  ...sums.map((sum) => `var ${sum} = ${DTYPES[dtype].isInteger ? '0' : '0.0'};`),
])}
  var at = lane;
${
  UNROLL === 1
    ? ''
    : `  for (; at + ${LANES * (UNROLL - 1)}u < pitch; at += ${LANES * UNROLL}u) {
${indent(2, step(UNROLL))}
  }
`
}  for (; at < pitch; at += ${LANES}u) {
${indent(2, step(1))}
  }
${indent(
  1,
  sums.map((sum, at) => `shares[${at}][thread] = ${sum};`),
)}
  add_up_and_store(thread, col, group.z);
}`;
}

/** Steps of a lane, `LANES` vectors apart: all loads of weights, then their products. */
const vectorStep =
  ({ ROWS, COLS, LANES }: Values, dtype: Dtype) =>
  (unroll: number): string[] => {
    const { elements, fours } = vectorOf(dtype);
    const scales = scalesOf(dtype);
    const turns = each(unroll, (turn) => turn);
    const addends = (turn: number, col: number) =>
      addendsOf('B', storageOf(dtype, 'B'), {
        type: 'f32',
        i: `${elements}u * (b${col} + ${place(turn)})`,
      });
    const isPacked = areBytes(dtype);
    const place = (turn: number) => (turn === 0 ? 'at' : `at + ${turn * LANES}u`);
    const loads = turns.flatMap((turn) =>
      each(COLS, (col) => [
        `let w${turn}_${col} = B_vectors[b${col} + ${place(turn)}];`,
        ...(scales
          ? [
              `let s${turn}_${col} = f32(B_scales[(b${col} + ${place(turn)}) / ${scales.shared / elements}u]);`,
            ]
          : []),
        ...(addends(turn, col) ? [`let z${turn}_${col} = 0.0${addends(turn, col)};`] : []),
      ]).flat(),
    );
    /** Elements of A, four at a time. */
    const ofA = (turn: number, row: number) => {
      const perLoad = perLoadOf(dtype);
      if (isPacked) {
        const at = `a${row} + ${place(turn)}`;
        return [
          `let v = A_vectors[${at}];`,
          ...(scales ? [`let t = f32(A_scales[(${at}) / ${scales.shared / elements}u]);`] : []),
        ];
      }
      return each(elements / perLoad, (i) => {
        const from = `A_vectors[a${row} + ${elements / perLoad}u * (${place(turn)}) + ${i}u]`;
        return perLoad > 4
          ? [
              `let h${i} = ${from};`,
              ...['xy', 'zw'].map(
                (half, at) => `let v${2 * i + at} = ${fourHalves(`h${i}`, half)};`,
              ),
            ]
          : [`let v${i} = ${from};`];
      }).flat();
    };
    return [
      ...loads,
      ...turns.flatMap((turn) =>
        each(ROWS, (row) => [
          '{',
          ...ofA(turn, row).map((line) => `  ${line}`),
          ...each(COLS, (col) => {
            const plus = addends(turn, col) ? ` + z${turn}_${col}` : '';
            const w = `w${turn}_${col}`;
            const dots = isPacked
              ? WORDS.map((word) => `dot4I8Packed(v.${word}, ${w}.${word})`)
              : fours(w).map((four, i) => `dot(v${i}, ${four}${plus})`);
            const whole = dots.join(' + ');
            const scale = isPacked ? `t * s${turn}_${col} * f32` : `s${turn}_${col} * `;
            return `  sum${row}_${col} += ${scales ? `${scale}(${whole})` : whole};`;
          }),
          '}',
        ]).flat(),
      ),
    ];
  };

/** Steps by single elements, or by words of bytes, for rows that start anywhere. */
const elementStep =
  ({ ROWS, COLS, LANES }: Values, dtype: Dtype) =>
  (unroll: number): string[] =>
    each(unroll, (turn) => {
      const place = turn === 0 ? 'at' : `at + ${turn * LANES}u`;
      const isPacked = areBytes(dtype);
      const type = isPacked ? 'u32' : 'f32';
      const times = (v: string, w: string) =>
        isPacked ? `dot4I8Packed(${v}, ${w})` : `${v} * ${w}`;
      return [
        ...each(COLS, (col) => `let w${turn}_${col} = ${type}(B[b${col} + ${place}]);`),
        ...each(ROWS, (row) => `let v${turn}_${row} = ${type}(A[a${row} + ${place}]);`),
        ...each(ROWS, (row) =>
          each(
            COLS,
            (col) => `sum${row}_${col} += ${times(`v${turn}_${row}`, `w${turn}_${col}`)};`,
          ),
        ).flat(),
      ];
    }).flat();
