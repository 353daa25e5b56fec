/** A tile of C that the subgroups of a workgroup compute in fragments. */
export interface FragmentLayout {
  /** The workgroup's tile of C is bm x bn; bk of K is staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Threads of a subgroup. */
  readonly subgroup: number;
  /** A subgroup's part of the tile. */
  readonly wm: number;
  readonly wn: number;
  /** One multiplication: m x k times k x n. */
  readonly fragment: { readonly m: number; readonly n: number; readonly k: number };
  /** The type that products are added up in. */
  readonly sums: 'f32' | 'f16';
  /** The next tile's loads are issued after half of the steps; absent: before the first. */
  readonly loadsHalfway?: boolean;
}

/** Halves in a vec4u, the unit everything is moved in. */
const UNIT = 8;

/** Unused units behind each row of a tile: a fragment's rows lie in different banks. */
const PADDING = 1;

/** Threads of the workgroup. */
export function fragmentThreads({ bm, bn, wm, wn, subgroup }: FragmentLayout): number {
  return subgroup * (bm / wm) * (bn / wn);
}

/** vec4u of one fragment's sums. */
function sumUnits({ fragment, sums }: FragmentLayout): number {
  return (fragment.m * fragment.n) / (sums === 'f16' ? 8 : 4);
}

/** Units of the tile of A, in whose place one fragment of each subgroup leaves. */
function aUnitsOf(layout: FragmentLayout): number {
  const { bm, bk, subgroup } = layout;
  const leaving = (fragmentThreads(layout) / subgroup) * sumUnits(layout);
  return Math.max(bm * (bk / UNIT + PADDING), leaving);
}

function bUnitsOf({ bn, bk }: FragmentLayout): number {
  return bk * (bn / UNIT + PADDING);
}

/** Bytes of workgroup memory: the tiles of A and B. */
export function fragmentBytes(layout: FragmentLayout): number {
  return 16 * (aUnitsOf(layout) + bUnitsOf(layout));
}

/** Entry point for a shape: `main` moves eight halves, which rows of A, B and C must start on. */
export function fragmentEntryPoint({ n, k }: { readonly n: number; readonly k: number }): string {
  return n % UNIT === 0 && k % UNIT === 0 ? 'main' : 'unaligned';
}

/** The shader's body: memory access twice, then the same entry point over each of them. */
export function emitFragmentKernel(layout: FragmentLayout): string {
  return [
    declarations(layout),
    entryPoint(layout, 'main', 'aligned'),
    entryPoint(layout, 'unaligned', 'unaligned'),
  ].join('\n');
}

/**
 * Rows and columns beyond C are clamped to the last: they are computed and never stored.
 * Steps beyond K are zeros (`edge`), which add nothing to the sums. `at` is where a row
 * starts, in units or, unaligned, in halves.
 */
function declarations(layout: FragmentLayout): string {
  const { bn, bk, fragment } = layout;
  const { m, n, k } = fragment;
  return `
struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A8: array<vec4u>; // eight halves each
@group(0) @binding(1) var<storage, read> B8: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> C8: array<vec4u>;
@group(0) @binding(0) var<storage, read> A: array<f16>;
@group(0) @binding(1) var<storage, read> B: array<f16>;
@group(0) @binding(2) var<storage, read_write> C: array<f16>;
@group(0) @binding(3) var<uniform> shape: Shape;

alias Left = subgroup_matrix_left<f16, ${k}, ${m}>;
alias Right = subgroup_matrix_right<f16, ${n}, ${k}>;
alias Sums = subgroup_matrix_result<${layout.sums}, ${n}, ${m}>;

const A_PITCH = ${bk / UNIT + PADDING}u;
const B_PITCH = ${bn / UNIT + PADDING}u;
var<workgroup> a_tile: array<vec4u, ${aUnitsOf(layout)}>;
var<workgroup> b_tile: array<vec4u, ${bUnitsOf(layout)}>;

fn load_a_aligned(at: u32, k8: u32) -> vec4u {
  return A8[at + k8];
}
fn load_b_aligned(at: u32, col8: u32) -> vec4u {
  return B8[at + col8];
}
fn edge_a_aligned(at: u32, k8: u32) -> vec4u {
  let last = shape.k / 8 - 1;
  return select(vec4u(0), A8[at + min(k8, last)], k8 <= last);
}
fn store_c_aligned(row: u32, col: u32, h: vec4u) {
  if (row < shape.m && col < shape.n) {
    C8[(row * shape.n + col) / 8] = h;
  }
}

fn load_a_unaligned(at: u32, k8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    h[i] = A[at + 8 * k8 + i];
  }
  return pack(h);
}
fn load_b_unaligned(at: u32, col8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    h[i] = B[at + min(8 * col8 + i, shape.n - 1)];
  }
  return pack(h);
}
fn edge_a_unaligned(at: u32, k8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    let k = 8 * k8 + i;
    h[i] = select(0h, A[at + min(k, shape.k - 1)], k < shape.k);
  }
  return pack(h);
}
fn store_c_unaligned(row: u32, col: u32, h: vec4u) {
  for (var i = 0u; i < 8; i++) {
    if (row < shape.m && col + i < shape.n) {
      C[row * shape.n + col + i] = bitcast<vec2<f16>>(h[i / 2])[i % 2];
    }
  }
}

/// Eight sums, rounded.
fn halves(low: vec4u, high: vec4u) -> vec4u {
  let l = vec4<f16>(bitcast<vec4f>(low));
  let h = vec4<f16>(bitcast<vec4f>(high));
  return vec4u(bitcast<vec2u>(l), bitcast<vec2u>(h));
}

fn pack(h: array<f16, 8>) -> vec4u {
  return vec4u(
    bitcast<u32>(vec2(h[0], h[1])), bitcast<u32>(vec2(h[2], h[3])),
    bitcast<u32>(vec2(h[4], h[5])), bitcast<u32>(vec2(h[6], h[7])),
  );
}`;
}

function entryPoint(layout: FragmentLayout, name: string, access: string): string {
  const { bm, bn, bk, subgroup, wm, wn, fragment } = layout;
  const threads = fragmentThreads(layout);
  const aUnits = each((bm * bk) / UNIT / threads, (i) => i);
  const bUnits = each((bn * bk) / UNIT / threads, (i) => i);
  const down = wm / fragment.m;
  const across = wn / fragment.n;

  const inUnits = access === 'aligned';
  const rowOfA = inUnits ? 'shape.k / 8' : 'shape.k';
  const rowOfB = inUnits ? 'shape.n / 8' : 'shape.n';
  const colInB = (col8: string) => (inUnits ? `min(${col8}, shape.n / 8 - 1)` : col8);

  // Addresses grow from tile to tile: computed anew they cost a fifth of the speed.
  const loads = [
    ...aUnits.map((i) => `a${i} = load_a_${access}(a_at${i}, a_k${i}); a_k${i} += ${bk / UNIT};`),
    ...bUnits.map((i) => `b${i} = load_b_${access}(b_at${i}, b_col${i}); b_at${i} += b_step;`),
  ];
  const edgeLoads = [
    ...aUnits.map((i) => `a${i} = edge_a_${access}(a_at${i}, a_k${i});`),
    ...bUnits.flatMap((i) => [
      `let b_k${i} = whole * ${bk} + b_line${i};`,
      `b${i} = load_b_${access}(min(b_k${i}, shape.k - 1) * (${rowOfB}), b_col${i});`,
      `b${i} = select(vec4u(0), b${i}, b_k${i} < shape.k);`,
    ]),
  ];
  const stores = [
    ...aUnits.map((i) => `a_tile[a_to${i}] = a${i};`),
    ...bUnits.map((i) => `b_tile[b_to${i}] = b${i};`),
  ];
  const steps = each(bk / fragment.k, (step) => step * fragment.k).map((k) => [
    '{',
    ...each(down, (i) => {
      const at = `(warp_row + ${i * fragment.m}) * A_PITCH + ${k / UNIT}`;
      return `  let l${i} = subgroupMatrixLoad<Left, row_major>(&a_tile, ${at}, A_PITCH);`;
    }),
    ...each(across, (j) => {
      const at = `${k} * B_PITCH + warp_col / 8 + ${(j * fragment.n) / UNIT}`;
      return `  let r${j} = subgroupMatrixLoad<Right, row_major>(&b_tile, ${at}, B_PITCH);`;
    }),
    ...pairs(down, across, (i, j) => {
      const c = sumsOf(i, j);
      return `  ${c} = subgroupMatrixMultiplyAccumulate(l${i}, r${j}, ${c});`;
    }),
    '}',
  ]);
  const products = steps.flat();
  // The next tile is on its way while this one is multiplied.
  const prefetch = ['if (tile + 1 < whole) {', ...loads.map((line) => `  ${line}`), '}'];
  const half = layout.loadsHalfway ? steps.length / 2 : 0;
  const overlapped = [...steps.slice(0, half).flat(), ...prefetch, ...steps.slice(half).flat()];
  const sumsPitch = layout.sums === 'f16' ? fragment.n / 8 : fragment.n / 4;

  return `
@compute @workgroup_size(${threads})
@diagnostic(off, chromium.subgroup_matrix_uniformity)
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let warp = thread / ${subgroup};
  let warp_row = warp / ${bn / wn} * ${wm};
  let warp_col = warp % ${bn / wn} * ${wn};

  // What this thread stages, in units of eight halves.
${indent(
  1,
  aUnits.flatMap((i) => [
    `var a_k${i} = (thread + ${i * threads}) % ${bk / UNIT};`,
    `let a_line${i} = (thread + ${i * threads}) / ${bk / UNIT};`,
    `let a_at${i} = min(group.y * ${bm} + a_line${i}, shape.m - 1) * (${rowOfA});`,
    `let a_to${i} = a_line${i} * A_PITCH + a_k${i};`,
    `var a${i}: vec4u;`,
  ]),
)}
  let b_step = ${bk} * (${rowOfB});
${indent(
  1,
  bUnits.flatMap((i) => {
    const index = `(thread + ${i * threads})`;
    const column = `${index} % ${bn / UNIT}`;
    return [
      `let b_line${i} = ${index} / ${bn / UNIT};`,
      `let b_col${i} = ${colInB(`group.x * ${bn / UNIT} + ${column}`)};`,
      `var b_at${i} = b_line${i} * (${rowOfB});`,
      `let b_to${i} = b_line${i} * B_PITCH + ${column};`,
      `var b${i}: vec4u;`,
    ];
  }),
)}

${indent(
  1,
  pairs(down, across, (i, j) => `var ${sumsOf(i, j)}: Sums;`),
)}

  let whole = shape.k / ${bk};
  if (whole > 0) {
${indent(2, loads)}
  }
  for (var tile = 0u; tile < whole; tile++) {
    workgroupBarrier();
${indent(2, stores)}
    workgroupBarrier();
${indent(2, overlapped)}
  }
  if (shape.k % ${bk} > 0) {
${indent(2, edgeLoads)}
    workgroupBarrier();
${indent(2, stores)}
    workgroupBarrier();
${indent(2, products)}
  }

  // Fragment by fragment through the memory of A's tile: there the sums become halves,
  // and those beyond the edge are left out.
  let lane = thread % ${subgroup};
  let sums = warp * ${sumUnits(layout)};
  let row = group.y * ${bm} + warp_row;
  let col = group.x * ${bn} + warp_col;
${indent(
  1,
  pairs(down, across, (i, j) =>
    [
      'workgroupBarrier();',
      `subgroupMatrixStore<row_major>(&a_tile, sums, ${sumsOf(i, j)}, ${sumsPitch}u);`,
      'workgroupBarrier();',
      `store_${access}(sums, lane, row + ${i * fragment.m}, col + ${j * fragment.n});`,
    ].join(' '),
  ),
)}
}

fn store_${access}(sums: u32, lane: u32, row: u32, col: u32) {
  if (lane < ${(fragment.m * fragment.n) / UNIT}) {
    let h = ${layout.sums === 'f16' ? 'a_tile[sums + lane]' : 'halves(a_tile[sums + 2 * lane], a_tile[sums + 2 * lane + 1])'};
    store_c_${access}(row + 8 * lane / ${fragment.n}, col + 8 * lane % ${fragment.n}, h);
  }
}`;
}

/** Name of the sums of a subgroup's fragment. */
function sumsOf(down: number, across: number): string {
  return `c${down}_${across}`;
}

function pairs<R>(down: number, across: number, make: (i: number, j: number) => R): R[] {
  return each(down, (i) => each(across, (j) => make(i, j))).flat();
}

function each<R>(count: number, make: (index: number) => R): R[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function indent(depth: number, lines: readonly string[]): string {
  return lines.map((line) => '  '.repeat(depth) + line).join('\n');
}
