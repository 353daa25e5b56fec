import { combinations, valuesTable } from '../kernel/combinations';
import { gpuKernel, tunable, type ValuesOf } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import tables from './11-few-rows.json';
import { rowsPerThread, splitsOf } from './candidates';
import { gridOverC } from './grid';
import { each, indent } from './lines';
import { rowOf, scratchOf, stored, storedFour, type Written } from './memory';
import { tileEntryPoint } from './tile-emitter';
import {
  addParts,
  numbersOf,
  SPLIT_PASSES,
  splitTunable,
  sumsOf,
  tileMatrices,
} from './tile-memory';

const TUNABLES = [
  tunable('ROWS', 'Rows of C per thread', [1, 2, 3, 4, 6, 8, 12, 16], 1),
  tunable('LANES', 'Threads across a row of C, four columns each', [2, 4, 8, 16, 32, 64], 16),
  tunable('DEEP', 'Threads that share a sum along K', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 16),
  tunable('DOWN', 'Threads one below the other, each with its own rows', [1, 2, 4, 8], 1),
  tunable('UNROLL', 'Steps of four along K whose loads are in flight at once', [1, 2, 4], 2),
  splitTunable([1, 2, 4, 8, 16, 32, 64]),
  tunable(
    'REDUCE',
    "How the threads' sums are added: through workgroup memory, or first by shuffles in subgroups of so many threads",
    ['workgroup', 4, 8, 16, 32, 64],
    'workgroup',
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/** The values and types that the shader is emitted for. */
interface StripLayout extends Values, Written {
  /** The type of sums. */
  readonly sums: 'f32' | 'i32';
}

/**
 * For a C of few rows (a vector times a matrix) or a short K. B is read once, straight into
 * registers, by enough threads with enough loads in flight to keep memory busy. Workgroups share K
 * (SPLIT), or up to 1024 threads of one do and add up by shuffles (REDUCE): a second dispatch costs more
 * than moving a few megabytes.
 */
export const fewRows = gpuKernel({
  id: 'matmul/few-rows',
  op: 'matmul',
  rung: 11,
  changes: null,
  idea: 'A strip of C per thread, B streamed past it without staging: bound by bytes',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'LANES × DEEP × DOWN must be from 32 to 1024 threads',
      holds: (values) => threadsOf(values) >= 32 && threadsOf(values) <= 1024,
    },
    {
      reason: 'REDUCE must be above LANES, whose other threads add up, and divide LANES × DEEP',
      holds: ({ LANES, DEEP, REDUCE }) =>
        REDUCE === 'workgroup' || (LANES < REDUCE && (LANES * DEEP) % REDUCE === 0),
    },
    {
      reason: 'ROWS × UNROLL must be at most 16: more loads would not fit in registers',
      holds: ({ ROWS, UNROLL }) => ROWS * UNROLL <= 16,
    },
    {
      reason: 'ROWS × threads must be at most 8192: more sums would not fit in registers',
      holds: (values) => values.ROWS * threadsOf(values) <= 8192,
    },
  ],
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitStrip({ ...values, sums: sumsOf(dtype), batched, epilogue }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => ({
    workgroupSize: [threadsOf(values), 1, 1],
    workgroupBytes: stripBytes(values),
    ...(values.REDUCE !== 'workgroup' && {
      features: ['subgroups'],
      subgroupSize: values.REDUCE,
    }),
  }),
  threadsPerSum: ({ DEEP }) => DEEP,
  workgroups: ({ ROWS, DOWN, LANES, SPLIT }, { shape }) =>
    gridOverC(shape, ROWS * DOWN, 4 * LANES, { SPLIT }),
  ...SPLIT_PASSES,
  candidates: ({ shape: { b = 1, m, n, k } }) => {
    if (k <= 64) {
      const rows = { ROWS: [4, 8, 16], LANES: [32, 64], DEEP: [1], DOWN: [1, 2, 4], UNROLL: [1] };
      return combinations(rows);
    }
    if (m > 16) return [];
    const ROWS = rowsPerThread(m);
    const subgroups = combinations({ ROWS: [ROWS], REDUCE: [8, 16, 32, 64] });
    const shuffled =
      m > 8 ? [] : SHUFFLED.flatMap((strip) => subgroups.map((rest) => ({ ...strip, ...rest })));
    const split = STRIPS.flatMap((strip) => {
      const UNROLL = Math.min(Number(strip.UNROLL), ROWS > 4 ? 2 : 4);
      const groups = b * ceilDiv(n, 4 * Number(strip.LANES)) * ceilDiv(m, ROWS);
      const splits = splitsOf(k, 4 * Number(strip.DEEP), groups).filter((split) => split <= 64);
      return splits.map((SPLIT) => ({ ...strip, ROWS, UNROLL, SPLIT }));
    });
    return [...split, ...shuffled];
  },
});

const STRIPS = valuesTable(tables.strips);

const SHUFFLED = valuesTable(tables.shuffled);

/** Rows of C whose sums are added at once, which limits workgroup memory. */
const MOST_ROWS = 4;

type Threads = Pick<StripLayout, 'LANES' | 'DEEP' | 'DOWN'>;
type Shares = Threads & Pick<StripLayout, 'ROWS' | 'REDUCE'>;

/** Threads that add up by shuffles; 1: none. */
const subgroupOf = ({ REDUCE }: Pick<StripLayout, 'REDUCE'>) =>
  REDUCE === 'workgroup' ? 1 : REDUCE;

const threadsOf = ({ LANES, DEEP, DOWN }: Threads) => LANES * DEEP * DOWN;

const rowsAtOnce = ({ ROWS }: Pick<StripLayout, 'ROWS'>) => Math.min(ROWS, MOST_ROWS);

/** Shares of each sum that reach workgroup memory. */
const sharesPerSum = ({ LANES, DEEP, REDUCE }: Pick<Shares, 'LANES' | 'DEEP' | 'REDUCE'>) =>
  DEEP / Math.max(subgroupOf({ REDUCE }) / LANES, 1);

/** vec4s of workgroup memory in which threads that share sums leave theirs. */
const sharesOf = (layout: Shares) =>
  layout.LANES * layout.DOWN * sharesPerSum(layout) * rowsAtOnce(layout);

/** Bytes of workgroup memory. */
const stripBytes = (layout: Shares) => (layout.DEEP > 1 ? 16 * sharesOf(layout) : 0);

/** The shader's body: an entry point that moves vec4s, and one that moves single elements. */
function emitStrip(layout: StripLayout): string {
  const { DEEP, sums, SPLIT } = layout;
  return [
    tileMatrices(layout),
    `alias S = ${sums};`,
    'alias V = vec4<S>;',
    ...(SPLIT > 1
      ? [
          `@group(0) @binding(${scratchOf(layout)}) var<storage, read_write> parts4: array<V>;`,
          `@group(0) @binding(${scratchOf(layout)}) var<storage, read_write> parts: array<S>;`,
        ]
      : []),
    ...(DEEP > 1 ? [`var<workgroup> shares: array<V, ${sharesOf(layout)}>;`] : []),
    entryPoint(layout, 'main'),
    entryPoint(layout, 'unaligned'),
    ...(SPLIT > 1 ? [addParts({ ...layout, split: SPLIT }, 'S')] : []),
  ].join('\n');
}

type Access = 'main' | 'unaligned';

function entryPoint(layout: StripLayout, name: Access): string {
  const { ROWS, LANES, DEEP, DOWN, SPLIT, UNROLL, batched } = layout;
  const pitch = name === 'main' ? '(shape.k / 4)' : 'shape.k';
  const { product, part } = numbersOf({ ...layout, split: SPLIT });
  const turn = (count: number, isEdge: boolean) => [
    ...each(count, (u) => loads(layout, name, u, isEdge)).flat(),
    ...each(count, (u) => products(layout, u)).flat(),
  ];
  return `
@compute @workgroup_size(${threadsOf(layout)})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
${indent(1, [...(batched ? [`let product = ${product};`] : []), `let lane = thread % ${LANES};`])}
  let first_row = (group.y * ${DOWN} + thread / ${LANES * DEEP}) * ${ROWS};
${indent(1, ownColumns(layout, name, 'lane'))}
${indent(
  1,
  each(ROWS, (r) => {
    const row = rowOf(layout, 'shape.m', `min(first_row + ${r}, shape.m - 1)`);
    return `let a_at${r} = ${row} * ${pitch};`;
  }),
)}
${indent(
  1,
  each(ROWS, (r) => `var c${r}: V;`),
)}

  // Steps of four along K; the workgroups along z share them.
  let steps = (shape.k + 3) / 4;
  let share = (steps + ${SPLIT - 1}) / ${SPLIT};
  let begin = min(${part} * share, steps);
  let end = min(begin + share, steps);
  let turns = (max(min(end, shape.k / 4), begin) - begin) / ${DEEP * UNROLL};
  var at = begin + thread / ${LANES} % ${DEEP};
  for (var turn = 0u; turn < turns; turn++) {
${indent(2, turn(UNROLL, false))}
    at += ${DEEP * UNROLL};
  }
  for (; at < end; at += ${DEEP}) {
${indent(2, turn(1, true))}
  }
${DEEP > 1 ? sharedStores(layout, name) : indent(1, ownStores(layout, name))}
}`;
}

/**
 * A thread's columns: a vec4, or four elements LANES apart, so that neighbouring threads read
 * neighbouring elements wherever a row begins. Clamped to the last; what is beyond is not stored.
 */
function ownColumns({ LANES }: StripLayout, name: Access, lane: string): string[] {
  if (name === 'main') return [`let col4 = min(group.x * ${LANES} + ${lane}, shape.n / 4 - 1);`];
  return each(
    4,
    (i) => `let col${i} = min(group.x * ${4 * LANES} + ${lane} + ${i * LANES}, shape.n - 1);`,
  );
}

/** Loads step `u`: four rows of B and as many columns of A. At the edge, zeros beyond K. */
function loads(layout: StripLayout, name: Access, u: number, isEdge: boolean): string[] {
  const { ROWS, DEEP } = layout;
  const at = u === 0 ? 'at' : `(at + ${u * DEEP})`;
  if (name === 'main') {
    return [
      ...each(4, (j) => {
        const row = rowOf(layout, 'shape.k', `(4 * ${at} + ${j})`);
        return `let b${u}_${j} = V(B4[${row} * (shape.n / 4) + col4]);`;
      }),
      ...each(ROWS, (r) => `let a${u}_${r} = V(A4[a_at${r} + ${at}]);`),
    ];
  }
  const k = (j: number) => (isEdge ? `min(4 * ${at} + ${j}, shape.k - 1)` : `4 * ${at} + ${j}`);
  const inside = isEdge
    ? (v: string) => `select(V(0), ${v}, 4 * ${at} + vec4u(0, 1, 2, 3) < vec4u(shape.k))`
    : (v: string) => v;
  return [
    ...each(4, (j) => `let k${u}_${j} = ${k(j)};`),
    ...each(4, (j) => {
      const elements = each(
        4,
        (i) => `B[${rowOf(layout, 'shape.k', `k${u}_${j}`)} * shape.n + col${i}]`,
      );
      return `let b${u}_${j} = V(vec4(${elements.join(', ')}));`;
    }),
    ...each(ROWS, (r) => {
      const elements = each(4, (j) => `A[a_at${r} + k${u}_${j}]`);
      return `let a${u}_${r} = ${inside(`V(vec4(${elements.join(', ')}))`)};`;
    }),
  ];
}

function products({ ROWS, sums }: StripLayout, u: number): string[] {
  return each(ROWS, (r) =>
    each(4, (j) => {
      const a = `V(a${u}_${r}.${'xyzw'[j]})`;
      const b = `b${u}_${j}`;
      return sums === 'i32' ? `c${r} += ${a} * ${b};` : `c${r} = fma(${a}, ${b}, c${r});`;
    }),
  ).flat();
}

/** Adds the shares of DEEP threads, a few rows at a time. */
function sharedStores(layout: StripLayout, name: Access): string {
  const { ROWS, LANES, DOWN } = layout;
  const subgroup = subgroupOf(layout);
  const threads = threadsOf(layout);
  const deep = sharesPerSum(layout);
  const slots = LANES * DOWN * deep;
  /** A share per thread, or per column and subgroup. */
  const keep = (i: number, value: string) => {
    if (subgroup <= LANES) return [`shares[${i * slots} + thread] = ${value};`];
    const sums = Array.from({ length: Math.log2(subgroup / LANES) }, (_, bit) => {
      return `${value} += subgroupShuffleXor(${value}, ${LANES * 2 ** bit}u);`;
    });
    const slot = `${i * slots} + thread / ${subgroup} * ${LANES} + lane`;
    return [...sums, `if (thread % ${subgroup} < ${LANES}) { shares[${slot}] = ${value}; }`];
  };
  const chunk = rowsAtOnce(layout);
  return each(Math.ceil(ROWS / chunk), (turn) => {
    const rows = each(Math.min(chunk, ROWS - turn * chunk), (i) => i);
    return `
  workgroupBarrier();
${indent(
  1,
  rows.flatMap((i) => keep(i, `c${turn * chunk + i}`)),
)}
  workgroupBarrier();
  for (var i = thread; i < ${LANES * rows.length * DOWN}; i += ${threads}) {
    let own_lane = i % ${LANES};
    let own_down = i / ${LANES * rows.length};
    let place = i / ${LANES} % ${rows.length};
    var sum = V(0);
    for (var d = 0u; d < ${deep}; d++) {
      sum += shares[place * ${slots} + (own_down * ${deep} + d) * ${LANES} + own_lane];
    }
    let row = (group.y * ${DOWN} + own_down) * ${ROWS} + ${turn * chunk} + place;
${indent(2, store(layout, name, 'own_lane', 'sum'))}
  }`;
  }).join('\n');
}

function ownStores(layout: StripLayout, name: Access): string[] {
  return each(layout.ROWS, (r) => [
    '{',
    `  let row = first_row + ${r};`,
    ...store(layout, name, 'lane', `c${r}`).map((line) => `  ${line}`),
    '}',
  ]).flat();
}

/** Stores four sums of `row`, as far as they lie in C. */
function store(layout: StripLayout, name: Access, lane: string, v: string): string[] {
  const { LANES, SPLIT } = layout;
  const row = SPLIT > 1 ? '(group.z * shape.m + row)' : rowOf(layout, 'shape.m', 'row');
  if (name === 'main') {
    const to = SPLIT > 1 ? 'parts4' : 'C4';
    return [
      `let to4 = group.x * ${LANES} + ${lane};`,
      'if (row < shape.m && to4 < shape.n / 4) {',
      `  ${to}[${row} * (shape.n / 4) + to4] = ${SPLIT > 1 ? v : storedFour(layout, v, '4 * to4')};`,
      '}',
    ];
  }
  const to = SPLIT > 1 ? 'parts' : 'C';
  return each(4, (i) => [
    `let to${i} = group.x * ${4 * LANES} + ${lane} + ${i * LANES};`,
    `if (row < shape.m && to${i} < shape.n) {`,
    `  ${to}[${row} * shape.n + to${i}] = ${SPLIT > 1 ? `${v}[${i}]` : stored(layout, `${v}[${i}]`, `to${i}`)};`,
    '}',
  ]).flat();
}
