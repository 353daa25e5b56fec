import { each, indent } from './lines';
import { addParts, MATRICES } from './tile-memory';

/** A strip of C that a workgroup computes without staging: no element of B is needed twice. */
export interface FewRowsLayout {
  /** Rows of C per thread, each of four columns. */
  readonly rows: number;
  /** Threads across a row of C, four columns each. */
  readonly lanes: number;
  /** Threads that share a sum: each takes every `deep`th step of K. */
  readonly deep: number;
  /** Threads one below the other, each with rows of its own. */
  readonly down: number;
  /** Parts of K, each summed by workgroups of its own. */
  readonly split: number;
  /** Steps (four of K) whose loads are in flight at once. */
  readonly unroll: number;
  /** The type of sums: `f32` or `i32`. */
  readonly sums: string;
}

/** Rows of C whose sums are added at once, which limits workgroup memory. */
const MOST_ROWS = 4;

export const fewRowsThreads = ({ lanes, deep, down }: FewRowsLayout) => lanes * deep * down;

const rowsAtOnce = ({ rows }: FewRowsLayout) => Math.min(rows, MOST_ROWS);

export function fewRowsBytes(layout: FewRowsLayout): number {
  return layout.deep > 1 ? fewRowsThreads(layout) * rowsAtOnce(layout) * 16 : 0;
}

/** The shader's body: an entry point that moves vec4s, and one that moves single elements. */
export function emitFewRows(layout: FewRowsLayout): string {
  const { deep, sums, split } = layout;
  return [
    MATRICES,
    `alias S = ${sums};`,
    'alias V = vec4<S>;',
    ...(split > 1
      ? [
          '@group(0) @binding(4) var<storage, read_write> parts4: array<V>;',
          '@group(0) @binding(4) var<storage, read_write> parts: array<S>;',
        ]
      : []),
    ...(deep > 1
      ? [`var<workgroup> shares: array<V, ${fewRowsThreads(layout) * rowsAtOnce(layout)}>;`]
      : []),
    entryPoint(layout, 'main'),
    entryPoint(layout, 'unaligned'),
    ...(split > 1 ? [addParts(split, 'S')] : []),
  ].join('\n');
}

type Access = 'main' | 'unaligned';

function entryPoint(layout: FewRowsLayout, name: Access): string {
  const { rows, lanes, deep, down, split, unroll } = layout;
  const pitch = name === 'main' ? '(shape.k / 4)' : 'shape.k';
  const turn = (count: number, isEdge: boolean) => [
    ...each(count, (u) => loads(layout, name, u, isEdge)).flat(),
    ...each(count, (u) => products(layout, u)).flat(),
  ];
  return `
@compute @workgroup_size(${fewRowsThreads(layout)})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let lane = thread % ${lanes};
  let first_row = (group.y * ${down} + thread / ${lanes * deep}) * ${rows};
${indent(1, ownColumns(layout, name, 'lane'))}
${indent(
  1,
  each(rows, (r) => `let a_at${r} = min(first_row + ${r}, shape.m - 1) * ${pitch};`),
)}
${indent(
  1,
  each(rows, (r) => `var c${r}: V;`),
)}

  // Steps of four along K; the workgroups along z share them.
  let steps = (shape.k + 3) / 4;
  let share = (steps + ${split - 1}) / ${split};
  let begin = min(group.z * share, steps);
  let end = min(begin + share, steps);
  let turns = (max(min(end, shape.k / 4), begin) - begin) / ${deep * unroll};
  var at = begin + thread / ${lanes} % ${deep};
  for (var turn = 0u; turn < turns; turn++) {
${indent(2, turn(unroll, false))}
    at += ${deep * unroll};
  }
  for (; at < end; at += ${deep}) {
${indent(2, turn(1, true))}
  }
${deep > 1 ? sharedStores(layout, name) : indent(1, ownStores(layout, name))}
}`;
}

/**
 * A thread's columns: a vec4, or four elements `lanes` apart, so that neighbouring threads read
 * neighbouring elements wherever a row begins. Clamped to the last; what is beyond is not stored.
 */
function ownColumns({ lanes }: FewRowsLayout, name: Access, lane: string): string[] {
  if (name === 'main') return [`let col4 = min(group.x * ${lanes} + ${lane}, shape.n / 4 - 1);`];
  return each(
    4,
    (i) => `let col${i} = min(group.x * ${4 * lanes} + ${lane} + ${i * lanes}, shape.n - 1);`,
  );
}

/** Loads step `u`: four rows of B and as many columns of A. At the edge, zeros beyond K. */
function loads({ rows, deep }: FewRowsLayout, name: Access, u: number, isEdge: boolean): string[] {
  const at = u === 0 ? 'at' : `(at + ${u * deep})`;
  if (name === 'main') {
    return [
      ...each(4, (j) => `let b${u}_${j} = V(B4[(4 * ${at} + ${j}) * (shape.n / 4) + col4]);`),
      ...each(rows, (r) => `let a${u}_${r} = V(A4[a_at${r} + ${at}]);`),
    ];
  }
  const k = (j: number) => (isEdge ? `min(4 * ${at} + ${j}, shape.k - 1)` : `4 * ${at} + ${j}`);
  const inside = isEdge
    ? (v: string) => `select(V(0), ${v}, 4 * ${at} + vec4u(0, 1, 2, 3) < vec4u(shape.k))`
    : (v: string) => v;
  return [
    ...each(4, (j) => `let k${u}_${j} = ${k(j)};`),
    ...each(4, (j) => {
      const elements = each(4, (i) => `B[k${u}_${j} * shape.n + col${i}]`);
      return `let b${u}_${j} = V(vec4(${elements.join(', ')}));`;
    }),
    ...each(rows, (r) => {
      const elements = each(4, (j) => `A[a_at${r} + k${u}_${j}]`);
      return `let a${u}_${r} = ${inside(`V(vec4(${elements.join(', ')}))`)};`;
    }),
  ];
}

function products({ rows, sums }: FewRowsLayout, u: number): string[] {
  return each(rows, (r) =>
    each(4, (j) => {
      const a = `V(a${u}_${r}.${'xyzw'[j]})`;
      const b = `b${u}_${j}`;
      return sums === 'i32' ? `c${r} += ${a} * ${b};` : `c${r} = fma(${a}, ${b}, c${r});`;
    }),
  ).flat();
}

/** Adds the shares of `deep` threads, a few rows at a time. */
function sharedStores(layout: FewRowsLayout, name: Access): string {
  const { rows, lanes, deep, down } = layout;
  const threads = fewRowsThreads(layout);
  const chunk = rowsAtOnce(layout);
  return each(Math.ceil(rows / chunk), (turn) => {
    const own = each(Math.min(chunk, rows - turn * chunk), (i) => i);
    return `
  workgroupBarrier();
${indent(
  1,
  own.map((i) => `shares[${i * threads} + thread] = c${turn * chunk + i};`),
)}
  workgroupBarrier();
  for (var i = thread; i < ${lanes * own.length * down}; i += ${threads}) {
    let own_lane = i % ${lanes};
    let own_down = i / ${lanes * own.length};
    let place = i / ${lanes} % ${own.length};
    var sum = V(0);
    for (var d = 0u; d < ${deep}; d++) {
      sum += shares[place * ${threads} + (own_down * ${deep} + d) * ${lanes} + own_lane];
    }
    let row = (group.y * ${down} + own_down) * ${rows} + ${turn * chunk} + place;
${indent(2, store(layout, name, 'own_lane', 'sum'))}
  }`;
  }).join('\n');
}

function ownStores(layout: FewRowsLayout, name: Access): string[] {
  return each(layout.rows, (r) => [
    '{',
    `  let row = first_row + ${r};`,
    ...store(layout, name, 'lane', `c${r}`).map((line) => `  ${line}`),
    '}',
  ]).flat();
}

/** Stores four sums of `row`, as far as they lie in C. */
function store({ lanes, split }: FewRowsLayout, name: Access, lane: string, v: string): string[] {
  const row = split > 1 ? '(group.z * shape.m + row)' : 'row';
  if (name === 'main') {
    const to = split > 1 ? 'parts4' : 'C4';
    return [
      `let to4 = group.x * ${lanes} + ${lane};`,
      'if (row < shape.m && to4 < shape.n / 4) {',
      `  ${to}[${row} * (shape.n / 4) + to4] = ${split > 1 ? v : `vec4<T>(${v})`};`,
      '}',
    ];
  }
  const to = split > 1 ? 'parts' : 'C';
  return each(4, (i) => [
    `let to${i} = group.x * ${4 * lanes} + ${lane} + ${i * lanes};`,
    `if (row < shape.m && to${i} < shape.n) {`,
    `  ${to}[${row} * shape.n + to${i}] = ${split > 1 ? `${v}[${i}]` : `T(${v}[${i}])`};`,
    '}',
  ]).flat();
}
