import { bindingNumbers } from '../bindings';
import { valuesTable } from '../combinations';
import { DTYPES, type Dtype, isBlocked } from '../dtype';
import { gpuKernel, tunable, type ValuesOf } from '../kernel';
import { ceilDiv } from '../numbers';
import {
  addendReadersOf,
  addendsOf,
  declared,
  ITEMS,
  type Item,
  type Packing,
  STORAGES,
  type Storage,
  type StoragePart,
} from '../storage';
import { FOLDED, foldedGrid } from './grid';
import { each, indent } from './lines';

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
  rung: 16,
  changes: 'matmul/few-rows-shuffled',
  idea: 'Lanes share each row of B (N × K) along K, 16 bytes a load, one dispatch: bound by bytes',
  dtypes: ['f32-nt', 'f16-nt', 'f16-q8', 'f16-q4', 'f32-q4', 'f32-q4z'],
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
  wgsl: (values, dtype, { batched }) => emitRows(values, dtype, batched),
  batches: true,
  entryPoint: (_values, { dtype, shape }) =>
    shape.k % vectorOf(dtype).elements === 0 ? 'main' : 'unaligned',
  needs: (values) => ({
    workgroupSize: [values.THREADS, 1, 1],
    workgroupBytes: 4 * values.ROWS * values.COLS * values.THREADS,
  }),
  threadsPerSum: ({ LANES }) => LANES,
  workgroups: (values, { shape: { b = 1, m, n } }) =>
    foldedGrid(ceilDiv(n, columnsOf(values)), b * ceilDiv(m, values.ROWS)),
  work: ({ LANES }, { dtype, shape: { k } }) => ({
    steps: ceilDiv(k, LANES * vectorOf(dtype).elements),
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

const STRIPS = valuesTable(
  ['COLS', 'LANES', 'THREADS', 'UNROLL'],
  [
    [2, 16, 32, 4],
    [1, 32, 128, 4],
    [1, 64, 128, 2],
    [1, 128, 128, 2],
    [2, 32, 32, 1],
    [2, 32, 256, 1],
    [2, 64, 256, 4],
    [2, 32, 128, 2],
    [2, 32, 128, 4],
    [2, 64, 128, 2],
    [4, 8, 64, 1],
    [4, 16, 128, 1],
    [4, 32, 128, 1],
    [4, 32, 128, 2],
    [4, 64, 256, 1],
  ],
);

/** Rows of weights, which are columns of C, per workgroup. */
const columnsOf = ({ COLS, LANES, THREADS }: Values) => (COLS * THREADS) / LANES;

/** How 16 bytes of weights are multiplied with a row of A. */
interface Vector {
  /** Weights in it. */
  readonly elements: number;
  /** The type of a load of it. */
  readonly type: string;
  /** Its weights as vec4f, before their scale. */
  readonly fours: (load: string) => readonly string[];
}

const WORDS = ['x', 'y', 'z', 'w'] as const;

const VECTORS = new Map<Item, Vector>([
  [ITEMS.f32, { elements: 4, type: 'vec4f', fours: (load) => [load] }],
  [
    ITEMS.f16,
    {
      elements: 8,
      type: 'vec4u',
      fours: (load) => ['xy', 'zw'].map((half) => `vec4f(bitcast<vec4<f16>>(${load}.${half}))`),
    },
  ],
]);

/** Bits of 2^23, whose fraction counts ones. */
const ONES = 0x4b000000;

/**
 * Integers of a few bits as floats, without a conversion: as fraction of 2^23, shifted up by as much as
 * they are in their half of the word, one exact multiply-add makes them what they are. 1.02 times as
 * fast as unpacking and converting them (1x14336x4096 of q4_0, NVIDIA H200, 2026-11-27).
 */
function packedVector({ bits, bias, flip, place, word }: Packing): Vector {
  const elements = 128 / bits;
  const four = (load: string, first: number) => {
    const places = each(4, (i) => bits * place(first + i));
    const from = `${load}.${WORDS[word(first)]}`;
    const halves = places.map((at) => (at < 16 ? from : `${from} >> 16u`));
    const shifts = places.map((at) => at % 16);
    const masks = shifts.map((shift) => `${(2 ** bits - 1) * 2 ** shift}u`);
    const ones = shifts.map((shift) => `${ONES + flip * 2 ** shift}u`);
    const factors = shifts.map((shift) => 2 ** -shift);
    const offsets = shifts.map((shift) => -(2 ** (23 - shift) + bias));
    const bitsOf = `(vec4u(${halves}) & vec4u(${masks})) ^ vec4u(${ones})`;
    return `fma(bitcast<vec4f>(${bitsOf}), vec4f(${factors}), vec4f(${offsets}))`;
  };
  return {
    elements,
    type: 'vec4u',
    fours: (load) => each(elements / 4, (i) => four(load, 4 * i)),
  };
}

/** Throws TypeError for a storage that nothing says how to read by vectors. */
function vectorOf(dtype: Dtype): Vector {
  const { storage } = DTYPES[dtype].tensors.B;
  const [values]: readonly StoragePart[] = STORAGES[storage].parts;
  const vector = values?.item.packing
    ? packedVector(values.item.packing)
    : values && VECTORS.get(values.item);
  if (!vector) throw new TypeError(`rows of ${storage} are not read by vectors`);
  return vector;
}

const storageOf = (dtype: Dtype): Storage => STORAGES[DTYPES[dtype].tensors.B.storage];

/** The part with the scales of B's blocks, if it has any. */
const scalesOf = (dtype: Dtype) => storageOf(dtype).parts.find(({ name }) => name === 'scales');

function emitRows(values: Values, dtype: Dtype, isBatch: boolean): string {
  const { ROWS, COLS, LANES, THREADS } = values;
  const numbers = bindingNumbers('matmul', dtype);
  const { type } = vectorOf(dtype);
  const isHalf = DTYPES[dtype].element === 'f16';
  const scaled = isBlocked(dtype);
  const scales = scalesOf(dtype);
  const storage = storageOf(dtype);
  const [, ...ofBlocks] = storage.parts;
  const sums = each(ROWS, (row) => each(COLS, (col) => `sum${row}_${col}`)).flat();
  return `
struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(${numbers.A}) var<storage, read> A_vectors: array<${isHalf ? 'vec4u' : 'vec4f'}>;
@group(0) @binding(${numbers.B}) var<storage, read> B_vectors: array<${type}>;
${
  scales
    ? [
        declared('B', { ...storage, parts: ofBlocks }, (numbers.B ?? 0) + 1),
        addendReadersOf('B', storage),
      ]
        .join('\n')
        .trimEnd()
    : `@group(0) @binding(${numbers.A}) var<storage, read> A: array<T>;
@group(0) @binding(${numbers.B}) var<storage, read> B: array<T>;`
}
@group(0) @binding(${numbers.C}) var<storage, read_write> C: array<T>;
@group(0) @binding(${numbers.shape}) var<uniform> shape: Shape;
// The share of each lane in each sum.
var<workgroup> shares: array<array<f32, ${THREADS}>, ${ROWS * COLS}>;

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
      C[(product * shape.m + row) * shape.n + to] = T(shares[at][thread - lane]);
    }
  }
}
${entryPoint(values, dtype, isBatch, 'main')}
${scaled ? '' : entryPoint(values, dtype, isBatch, 'unaligned')}`;
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
  const pitch = inVectors ? `shape.k / ${elements}u` : 'shape.k';
  const aPitch = inVectors ? `shape.k / ${DTYPES[dtype].element === 'f16' ? 8 : 4}u` : 'shape.k';
  const sums = rows.flatMap((row) => cols.map((col) => `sum${row}_${col}`));
  const step = inVectors ? vectorStep(values, dtype) : elementStep(values);
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
  ...sums.map((sum) => `var ${sum} = 0.0;`),
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

/** Some steps of the lane, \`LANES\` vectors apart: all loads of weights, then their products. */
const vectorStep =
  ({ ROWS, COLS, LANES }: Values, dtype: Dtype) =>
  (unroll: number): string[] => {
    const { elements, fours } = vectorOf(dtype);
    const scales = scalesOf(dtype);
    const turns = each(unroll, (turn) => turn);
    const addends = (turn: number, col: number) =>
      addendsOf('B', storageOf(dtype), {
        type: 'f32',
        i: `${elements}u * (b${col} + ${place(turn)})`,
      });
    const isHalf = DTYPES[dtype].element === 'f16';
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
      const perLoad = isHalf ? 8 : 4;
      return each(elements / perLoad, (i) => {
        const from = `A_vectors[a${row} + ${elements / perLoad}u * (${place(turn)}) + ${i}u]`;
        return isHalf
          ? [
              `let h${i} = ${from};`,
              ...['xy', 'zw'].map(
                (half, at) => `let v${2 * i + at} = vec4f(bitcast<vec4<f16>>(h${i}.${half}));`,
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
            const dots = fours(`w${turn}_${col}`).map((four, i) => `dot(v${i}, ${four}${plus})`);
            const whole = dots.join(' + ');
            return `  sum${row}_${col} += ${scales ? `s${turn}_${col} * (${whole})` : whole};`;
          }),
          '}',
        ]).flat(),
      ),
    ];
  };

/** The same of single elements, for rows that start anywhere. */
const elementStep =
  ({ ROWS, COLS, LANES }: Values) =>
  (unroll: number): string[] =>
    each(unroll, (turn) => {
      const place = turn === 0 ? 'at' : `at + ${turn * LANES}u`;
      return [
        ...each(COLS, (col) => `let w${turn}_${col} = f32(B[b${col} + ${place}]);`),
        ...each(ROWS, (row) => `let v${turn}_${row} = f32(A[a${row} + ${place}]);`),
        ...each(ROWS, (row) =>
          each(COLS, (col) => `sum${row}_${col} += v${turn}_${row} * w${turn}_${col};`),
        ).flat(),
      ];
    }).flat();
