import { valuesTable } from '../kernel/combinations';
import { gpuKernel, tunable, type ValuesOf } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import lanes from './12-few-cols.json';
import { splitsOf } from './candidates';
import { gridOverC } from './grid';
import { each, indent } from './lines';
import { rowOf, scratchOf, stored, type Written } from './memory';
import {
  addParts,
  numbersOf,
  SPLIT_PASSES,
  splitTunable,
  sumsOf,
  tileMatrices,
} from './tile-memory';

const TUNABLES = [
  tunable('COLS', 'Columns of C per thread; best if C has as many', [1, 2, 3, 4, 5, 6, 7, 8], 1),
  tunable('ROWS', 'Rows of C per thread', [1, 2, 4, 8], 4),
  tunable('LANES', 'Threads per workgroup, side by side along K', [32, 64, 128, 256], 64),
  tunable('UNROLL', 'vec4s of each row that are in flight at once', [1, 2, 4, 8], 2),
  splitTunable([1, 2, 4, 8, 16, 32, 64, 128, 256]),
  tunable(
    'REDUCE',
    "How the threads' sums are added: by subgroup operations or through workgroup memory",
    ['workgroup', 'subgroup'],
    'workgroup',
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/** The values and types that the shader is emitted for. */
interface Layout extends Values, Written {
  /** The type of sums. */
  readonly sums: 'f32' | 'i32';
}

/** For a C of few columns: a matrix times a vector. A is read once, row by row. */
export const fewCols = gpuKernel({
  id: 'matmul/few-cols',
  op: 'matmul',
  rung: 12,
  changes: null,
  idea: 'A workgroup sums along rows of A, several at once, and adds up across its threads',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'ROWS × COLS must be at most 32: more sums would not fit in registers',
      holds: (values) => sumsPerThread(values) <= 32,
    },
    {
      reason: '(ROWS + COLS) × UNROLL must be at most 32: more loads would not fit in registers',
      holds: ({ ROWS, COLS, UNROLL }) => (ROWS + COLS) * UNROLL <= 32,
    },
  ],
  wgsl: (values, dtype, { batched, epilogue }) =>
    emit({ ...values, sums: sumsOf(dtype), batched, epilogue }),
  batches: true,
  entryPoint: ({ COLS }, problem) => entryPointFor(COLS, problem.shape),
  needs: (values) => ({
    workgroupSize: [values.LANES, 1, 1],
    workgroupBytes: 4 * sharesOf(values),
    features: values.REDUCE === 'subgroup' ? ['subgroups'] : [],
  }),
  threadsPerSum: ({ LANES }) => LANES,
  workgroups: ({ ROWS, COLS, SPLIT }, { shape }) =>
    gridOverC(shape, ROWS, COLS, { MAPPING: 'row-x', SPLIT }),
  ...SPLIT_PASSES,
  splitBy: ['COLS', 'SPLIT'],
  work: ({ COLS, SPLIT }, { shape }) => ({ steps: shape.k / SPLIT, sums: COLS }),
  candidates: ({ shape: { b = 1, m, n, k } }) =>
    n > 8 || k < 64
      ? []
      : LANES.flatMap((lanes) =>
          splitsOf(k, 512, b * ceilDiv(m, Number(lanes.ROWS))).map((SPLIT) => ({
            ...lanes,
            COLS: n,
            SPLIT,
          })),
        ),
});

const LANES = valuesTable(lanes);

const SMALLEST_SUBGROUP = 4;

const sumsPerThread = ({ ROWS, COLS }: Values) => ROWS * COLS;

/** Elements of workgroup memory: every thread's sums, or one set per subgroup. */
const sharesOf = (layout: Values) =>
  (sumsPerThread(layout) * layout.LANES) / (layout.REDUCE === 'subgroup' ? SMALLEST_SUBGROUP : 1);

/**
 * Entry point for a shape: rows of A that start on a vec4 are read as vec4s; so is B, if all its
 * columns belong to one thread.
 */
function entryPointFor(COLS: number, { n, k }: { readonly n: number; readonly k: number }): string {
  if (k % 4 !== 0) return 'unaligned';
  return n === COLS ? 'main' : 'columns';
}

function emit(layout: Layout): string {
  const { SPLIT, sums } = layout;
  return [
    tileMatrices(layout),
    `alias S = ${sums};`,
    'alias V = vec4<S>;',
    ...(SPLIT > 1
      ? [`@group(0) @binding(${scratchOf(layout)}) var<storage, read_write> parts: array<S>;`]
      : []),
    `var<workgroup> shares: array<S, ${sharesOf(layout)}>;`,
    entryPoint(layout, 'main'),
    entryPoint(layout, 'columns'),
    entryPoint(layout, 'unaligned'),
    ...(SPLIT > 1 ? [addParts({ ...layout, split: SPLIT }, 'S')] : []),
  ].join('\n');
}

type Access = 'main' | 'columns' | 'unaligned';

function entryPoint(layout: Layout, name: Access): string {
  const { ROWS, COLS, LANES, SPLIT, UNROLL, REDUCE, batched } = layout;
  const { product, part } = numbersOf({ ...layout, split: SPLIT });
  // Along K: vec4s, or four elements LANES apart, so that neighbours read neighbouring elements.
  const isAligned = name !== 'unaligned';
  const pitch = isAligned ? '(shape.k / 4)' : 'shape.k';
  const count = isAligned ? UNROLL : 4 * UNROLL;
  const length = isAligned ? 'shape.k / 4' : 'shape.k';
  const step = isAligned ? vectorStep : elementStep;
  const at = (u: number) => (u === 0 ? 'at' : `(at + ${u * LANES})`);
  const builtins = [
    '@builtin(workgroup_id) group: vec3u',
    '@builtin(local_invocation_index) thread: u32',
    ...(REDUCE === 'subgroup'
      ? ['@builtin(subgroup_size) subgroup_size: u32', '@builtin(subgroup_invocation_id) lane: u32']
      : []),
  ];
  return `
@compute @workgroup_size(${LANES})
fn ${name}(
${indent(
  1,
  builtins.map((builtin) => `${builtin},`),
)}
) {
${indent(1, [...(batched ? [`let product = ${product};`] : []), `let first_row = group.x * ${ROWS};`])}
  let first_col = group.y * ${COLS};
${indent(1, [
  ...each(ROWS, (r) => {
    const row = rowOf(layout, 'shape.m', `min(first_row + ${r}, shape.m - 1)`);
    return `let a_at${r} = ${row} * ${pitch};`;
  }),
  ...(name === 'main'
    ? []
    : each(COLS, (j) => `let col${j} = min(first_col + ${j}, shape.n - 1);`)),
  ...each(ROWS, (r) => each(COLS, (j) => `var c${r}_${j}: S;`)).flat(),
])}

  let length = ${length};
  let share = (length + ${SPLIT - 1}) / ${SPLIT};
  let begin = min(${part} * share, length);
  let end = min(begin + share, length);
  let turns = (end - begin) / ${LANES * count};
  var at = begin + thread;
  for (var turn = 0u; turn < turns; turn++) {
${indent(2, [
  ...each(count, (u) => step(layout, name, u, at(u)).loads).flat(),
  ...each(count, (u) => step(layout, name, u, at(u)).products).flat(),
])}
    at += ${LANES * count};
  }
  for (; at < end; at += ${LANES}) {
${indent(2, [...step(layout, name, 0, 'at').loads, ...step(layout, name, 0, 'at').products])}
  }
${REDUCE === 'subgroup' ? addInSubgroups(layout) : addInWorkgroup(layout)}
}`;
}

interface Step {
  readonly loads: readonly string[];
  readonly products: readonly string[];
}

/** Four columns of A at once; of B four rows, vec4 by vec4 if they are contiguous. */
function vectorStep(layout: Layout, name: Access, u: number, at: string): Step {
  const { ROWS, COLS } = layout;
  const isWhole = name === 'main';
  return {
    loads: [
      ...each(ROWS, (r) => `let a${u}_${r} = V(A4[a_at${r} + ${at}]);`),
      ...(isWhole
        ? each(
            COLS,
            (v) => `let b${u}_${v} = V(B4[${rowOf(layout, 'shape.k / 4', at)} * ${COLS} + ${v}]);`,
          )
        : each(COLS, (j) => {
            const column = each(4, (i) => {
              const row = rowOf(layout, 'shape.k', `(4 * ${at} + ${i})`);
              return `B[${row} * shape.n + col${j}]`;
            });
            return `let b${u}_${j} = V(vec4(${column.join(', ')}));`;
          })),
    ],
    products: each(ROWS, (r) =>
      each(4, (i) =>
        each(COLS, (j) => {
          const element = i * COLS + j;
          const b = isWhole
            ? `b${u}_${Math.floor(element / 4)}.${'xyzw'[element % 4]}`
            : `b${u}_${j}.${'xyzw'[i]}`;
          return multiplyAdd(layout, `c${r}_${j}`, `a${u}_${r}.${'xyzw'[i]}`, b);
        }),
      ).flat(),
    ).flat(),
  };
}

function elementStep(layout: Layout, _name: Access, u: number, at: string): Step {
  const { ROWS, COLS } = layout;
  return {
    loads: [
      ...each(ROWS, (r) => `let a${u}_${r} = S(A[a_at${r} + ${at}]);`),
      ...each(
        COLS,
        (j) => `let b${u}_${j} = S(B[${rowOf(layout, 'shape.k', at)} * shape.n + col${j}]);`,
      ),
    ],
    products: each(ROWS, (r) =>
      each(COLS, (j) => multiplyAdd(layout, `c${r}_${j}`, `a${u}_${r}`, `b${u}_${j}`)),
    ).flat(),
  };
}

function multiplyAdd({ sums }: Layout, c: string, a: string, b: string): string {
  return sums === 'i32' ? `${c} += ${a} * ${b};` : `${c} = fma(${a}, ${b}, ${c});`;
}

/** Shuffles within each subgroup, of whatever size, then one sum per subgroup. */
function addInSubgroups(layout: Layout): string {
  const { ROWS, COLS, LANES } = layout;
  const count = sumsPerThread(layout);
  const sums = each(ROWS, (r) => each(COLS, (j) => `c${r}_${j}`)).flat();
  return `
${indent(
  1,
  sums.map((c, i) => `let s${i} = subgroupAdd(${c});`),
)}
  if (lane == 0) {
${indent(
  2,
  sums.map((_, i) => `shares[thread / subgroup_size * ${count} + ${i}] = s${i};`),
)}
  }
  workgroupBarrier();
  for (var i = thread; i < ${count}; i += ${LANES}) {
    var sum = S(0);
    for (var other = 0u; other < ${LANES} / subgroup_size; other++) {
      sum += shares[other * ${count} + i];
    }
${store(layout)}
  }`;
}

/** Halves the number of sums until one is left of each. */
function addInWorkgroup(layout: Layout): string {
  const { ROWS, COLS, LANES } = layout;
  const count = sumsPerThread(layout);
  const sums = each(ROWS, (r) => each(COLS, (j) => `c${r}_${j}`)).flat();
  return `
${indent(
  1,
  sums.map((c, i) => `shares[${i * LANES} + thread] = ${c};`),
)}
  for (var half = ${LANES / 2}u; half > 0; half /= 2) {
    workgroupBarrier();
    for (var i = thread; i < half * ${count}; i += ${LANES}) {
      let to = i / half * ${LANES} + i % half;
      shares[to] += shares[to + half];
    }
  }
  workgroupBarrier();
  for (var i = thread; i < ${count}; i += ${LANES}) {
    let sum = shares[i * ${LANES}];
${store(layout)}
  }`;
}

function store(layout: Layout): string {
  const { COLS, SPLIT } = layout;
  return `    let row = first_row + i / ${COLS};
    let col = first_col + i % ${COLS};
    if (row < shape.m && col < shape.n) {
      ${
        SPLIT > 1
          ? 'parts[(group.z * shape.m + row) * shape.n + col] = sum;'
          : `C[${rowOf(layout, 'shape.m', 'row')} * shape.n + col] = ${stored(layout, 'sum', 'col')};`
      }
    }`;
}
