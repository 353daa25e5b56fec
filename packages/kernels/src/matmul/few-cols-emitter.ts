import { each, indent } from './lines';
import { addParts, MATRICES } from './tile-memory';

/** Rows of A multiplied with a few columns of B: every thread of a workgroup on the same rows. */
export interface FewColsLayout {
  /** Columns of C per thread. */
  readonly cols: number;
  /** Rows of C per thread. */
  readonly rows: number;
  /** Threads per workgroup, side by side along K. */
  readonly lanes: number;
  /** Parts of K, each summed by workgroups of its own. */
  readonly split: number;
  /** vec4s of each row that are in flight at once. */
  readonly unroll: number;
  /** How the threads' sums are added. */
  readonly reduce: 'subgroup' | 'workgroup';
  /** The type of sums: `f32` or `i32`. */
  readonly sums: string;
}

const SMALLEST_SUBGROUP = 4;

export const sumsPerThread = ({ rows, cols }: FewColsLayout) => rows * cols;

/** Elements of workgroup memory: every thread's sums, or one set per subgroup. */
const shareCount = (layout: FewColsLayout) =>
  (sumsPerThread(layout) * layout.lanes) / (layout.reduce === 'subgroup' ? SMALLEST_SUBGROUP : 1);

export const fewColsBytes = (layout: FewColsLayout) => 4 * shareCount(layout);

/**
 * Entry point for a shape: rows of A that start on a vec4 are read as vec4s; so is B, if all its
 * columns belong to one thread.
 */
export function fewColsEntryPoint(
  cols: number,
  { n, k }: { readonly n: number; readonly k: number },
): string {
  if (k % 4 !== 0) return 'unaligned';
  return n === cols ? 'main' : 'columns';
}

export function emitFewCols(layout: FewColsLayout): string {
  const { split, sums } = layout;
  return [
    MATRICES,
    `alias S = ${sums};`,
    'alias V = vec4<S>;',
    ...(split > 1 ? ['@group(0) @binding(4) var<storage, read_write> parts: array<S>;'] : []),
    `var<workgroup> shares: array<S, ${shareCount(layout)}>;`,
    entryPoint(layout, 'main'),
    entryPoint(layout, 'columns'),
    entryPoint(layout, 'unaligned'),
    ...(split > 1 ? [addParts(split, 'S')] : []),
  ].join('\n');
}

type Access = 'main' | 'columns' | 'unaligned';

function entryPoint(layout: FewColsLayout, name: Access): string {
  const { rows, cols, lanes, split, unroll, reduce } = layout;
  // Along K: vec4s, or four elements `lanes` apart, so that neighbours read neighbouring elements.
  const isAligned = name !== 'unaligned';
  const pitch = isAligned ? '(shape.k / 4)' : 'shape.k';
  const count = isAligned ? unroll : 4 * unroll;
  const length = isAligned ? 'shape.k / 4' : 'shape.k';
  const step = isAligned ? vectorStep : elementStep;
  const at = (u: number) => (u === 0 ? 'at' : `(at + ${u * lanes})`);
  const builtins = [
    '@builtin(workgroup_id) group: vec3u',
    '@builtin(local_invocation_index) thread: u32',
    ...(reduce === 'subgroup'
      ? ['@builtin(subgroup_size) subgroup_size: u32', '@builtin(subgroup_invocation_id) lane: u32']
      : []),
  ];
  return `
@compute @workgroup_size(${lanes})
fn ${name}(
${indent(
  1,
  builtins.map((each) => `${each},`),
)}
) {
  let first_row = group.x * ${rows};
  let first_col = group.y * ${cols};
${indent(1, [
  ...each(rows, (r) => `let a_at${r} = min(first_row + ${r}, shape.m - 1) * ${pitch};`),
  ...(name === 'main'
    ? []
    : each(cols, (j) => `let col${j} = min(first_col + ${j}, shape.n - 1);`)),
  ...each(rows, (r) => each(cols, (j) => `var c${r}_${j}: S;`)).flat(),
])}

  let length = ${length};
  let share = (length + ${split - 1}) / ${split};
  let begin = min(group.z * share, length);
  let end = min(begin + share, length);
  let turns = (end - begin) / ${lanes * count};
  var at = begin + thread;
  for (var turn = 0u; turn < turns; turn++) {
${indent(2, [
  ...each(count, (u) => step(layout, name, u, at(u)).loads).flat(),
  ...each(count, (u) => step(layout, name, u, at(u)).products).flat(),
])}
    at += ${lanes * count};
  }
  for (; at < end; at += ${lanes}) {
${indent(2, [...step(layout, name, 0, 'at').loads, ...step(layout, name, 0, 'at').products])}
  }
${reduce === 'subgroup' ? addInSubgroups(layout) : addInWorkgroup(layout)}
}`;
}

interface Step {
  readonly loads: readonly string[];
  readonly products: readonly string[];
}

/** Four columns of A at once; of B four rows, vec4 by vec4 if they are contiguous. */
function vectorStep(layout: FewColsLayout, name: Access, u: number, at: string): Step {
  const { rows, cols } = layout;
  const isWhole = name === 'main';
  return {
    loads: [
      ...each(rows, (r) => `let a${u}_${r} = V(A4[a_at${r} + ${at}]);`),
      ...(isWhole
        ? each(cols, (v) => `let b${u}_${v} = V(B4[${at} * ${cols} + ${v}]);`)
        : each(cols, (j) => {
            const column = each(4, (i) => `B[(4 * ${at} + ${i}) * shape.n + col${j}]`);
            return `let b${u}_${j} = V(vec4(${column.join(', ')}));`;
          })),
    ],
    products: each(rows, (r) =>
      each(4, (i) =>
        each(cols, (j) => {
          const element = i * cols + j;
          const b = isWhole
            ? `b${u}_${Math.floor(element / 4)}.${'xyzw'[element % 4]}`
            : `b${u}_${j}.${'xyzw'[i]}`;
          return multiplyAdd(layout, `c${r}_${j}`, `a${u}_${r}.${'xyzw'[i]}`, b);
        }),
      ).flat(),
    ).flat(),
  };
}

function elementStep(layout: FewColsLayout, _name: Access, u: number, at: string): Step {
  const { rows, cols } = layout;
  return {
    loads: [
      ...each(rows, (r) => `let a${u}_${r} = S(A[a_at${r} + ${at}]);`),
      ...each(cols, (j) => `let b${u}_${j} = S(B[${at} * shape.n + col${j}]);`),
    ],
    products: each(rows, (r) =>
      each(cols, (j) => multiplyAdd(layout, `c${r}_${j}`, `a${u}_${r}`, `b${u}_${j}`)),
    ).flat(),
  };
}

function multiplyAdd({ sums }: FewColsLayout, c: string, a: string, b: string): string {
  return sums === 'i32' ? `${c} += ${a} * ${b};` : `${c} = fma(${a}, ${b}, ${c});`;
}

/** Shuffles within each subgroup, of whatever size, then one sum per subgroup. */
function addInSubgroups(layout: FewColsLayout): string {
  const { rows, cols, lanes } = layout;
  const count = sumsPerThread(layout);
  const sums = each(rows, (r) => each(cols, (j) => `c${r}_${j}`)).flat();
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
  for (var i = thread; i < ${count}; i += ${lanes}) {
    var sum = S(0);
    for (var other = 0u; other < ${lanes} / subgroup_size; other++) {
      sum += shares[other * ${count} + i];
    }
${store(layout)}
  }`;
}

/** Halves the number of sums until one is left of each. */
function addInWorkgroup(layout: FewColsLayout): string {
  const { rows, cols, lanes } = layout;
  const count = sumsPerThread(layout);
  const sums = each(rows, (r) => each(cols, (j) => `c${r}_${j}`)).flat();
  return `
${indent(
  1,
  sums.map((c, i) => `shares[${i * lanes} + thread] = ${c};`),
)}
  for (var half = ${lanes / 2}u; half > 0; half /= 2) {
    workgroupBarrier();
    for (var i = thread; i < half * ${count}; i += ${lanes}) {
      let to = i / half * ${lanes} + i % half;
      shares[to] += shares[to + half];
    }
  }
  workgroupBarrier();
  for (var i = thread; i < ${count}; i += ${lanes}) {
    let sum = shares[i * ${lanes}];
${store(layout)}
  }`;
}

function store({ cols, split }: FewColsLayout): string {
  return `    let row = first_row + i / ${cols};
    let col = first_col + i % ${cols};
    if (row < shape.m && col < shape.n) {
      ${
        split > 1
          ? 'parts[(group.z * shape.m + row) * shape.n + col] = sum;'
          : 'C[row * shape.n + col] = T(sum);'
      }
    }`;
}
