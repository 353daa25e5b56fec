/**
 * A tile of C and who computes what of it. Written out in full by `emitTileKernel`,
 * because WGSL has no unroll hint and an accumulator must have a name to stay in a
 * register: an array of them, indexed in a loop, goes to memory.
 */
export interface TileLayout {
  /** Threads of a workgroup, in one dimension. */
  readonly threads: number;
  /** The workgroup's tile of C is bm x bn; bk of K is staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Steps of K written out; a loop runs over the rest of bk. */
  readonly unroll: number;
  /** Products are added by `fma`; absent: by `a * b + c`, which a compiler may contract. */
  readonly fma?: boolean;
  /**
   * Parts of K, each summed by workgroups of their own (`workgroup_id.z`) into scratch
   * memory, which the entry point `add_parts` adds up. Absent or 1: K is summed whole.
   */
  readonly split?: number;
  /** A thread's rows: groups of four neighbours, `rowStride` rows apart. */
  readonly rowGroups: number;
  readonly rowStride: number;
  /** A thread's columns: groups of four neighbours, `colStride` columns apart. */
  readonly colGroups: number;
  readonly colStride: number;
  /** WGSL of the thread's first row and column in the tile, in fours, from `thread`. */
  readonly row4: string;
  readonly col4: string;
}

/** Unused vec4s behind each row of the tile of A: its columns are written without bank conflicts. */
const A_PADDING = 1;

/** Bytes of workgroup memory: both tiles, held in the accumulator's type. */
export function tileBytes({ bm, bn, bk }: TileLayout): number {
  return bk * (bm + 4 * A_PADDING + bn) * 4;
}

/** Entry point for a shape: `main` moves vec4s, which needs rows of A, B and C that start on one. */
export function tileEntryPoint({ n, k }: { readonly n: number; readonly k: number }): string {
  return n % 4 === 0 && k % 4 === 0 ? 'main' : 'unaligned';
}

/** Bytes of scratch memory where K is split: the parts' sums. */
export function partBytes(
  split: number,
  { m, n }: { readonly m: number; readonly n: number },
): number {
  return split > 1 ? split * m * n * 4 : 0;
}

/** Threads of `add_parts`, each adding up one element of C. */
export const ADD_THREADS = 256;

/** The shader's body: memory access twice, then the same entry point over each of them. */
export function emitTileKernel(layout: TileLayout): string {
  return [
    declarations(layout),
    entryPoint(layout, 'main', 'aligned'),
    entryPoint(layout, 'unaligned', 'unaligned'),
    ...(isSplit(layout) ? [addParts(layout.split)] : []),
  ].join('\n');
}

/**
 * Beyond an edge a load is clamped to the last row or column. What it brings is never
 * stored (rows, columns) or never multiplied (K), and nothing branches around it.
 */
function declarations(layout: TileLayout): string {
  const { bm, bn, bk } = layout;
  return `
struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A4: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> B4: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> C4: array<vec4<T>>;
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;

alias V = vec4<Acc>;
const A_PITCH = ${bm / 4 + A_PADDING}u;
const B_PITCH = ${bn / 4}u;
var<workgroup> a_tile: array<V, ${bk} * A_PITCH>; // transposed: a row holds one k
var<workgroup> b_tile: array<V, ${bk} * B_PITCH>;

fn load_a_aligned(row: u32, k4: u32) -> V {
  let pitch = shape.k / 4;
  return V(A4[row * pitch + min(k4, pitch - 1)]);
}
fn load_b_aligned(k: u32, col4: u32) -> V {
  let pitch = shape.n / 4;
  return V(B4[min(k, shape.k - 1) * pitch + min(col4, pitch - 1)]);
}
${isSplit(layout) ? partStores() : resultStores()}

fn load_a_unaligned(row: u32, k4: u32) -> V {
  let at = row * shape.k + min(4 * k4 + vec4u(0, 1, 2, 3), vec4u(shape.k - 1));
  return V(vec4(A[at.x], A[at.y], A[at.z], A[at.w]));
}
fn load_b_unaligned(k: u32, col4: u32) -> V {
  let col = min(4 * col4 + vec4u(0, 1, 2, 3), vec4u(shape.n - 1));
  let at = min(k, shape.k - 1) * shape.n + col;
  return V(vec4(B[at.x], B[at.y], B[at.z], B[at.w]));
}`;
}

function resultStores(): string {
  return `
fn store_c_aligned(row: u32, col4: u32, v: V) {
  let pitch = shape.n / 4;
  if (row < shape.m && col4 < pitch) {
    C4[row * pitch + col4] = vec4<T>(v);
  }
}
fn store_c_unaligned(row: u32, col4: u32, v: V) {
  for (var lane = 0u; lane < 4; lane++) {
    let col = 4 * col4 + lane;
    if (row < shape.m && col < shape.n) {
      C[row * shape.n + col] = T(v[lane]);
    }
  }
}`;
}

/** Rows of all parts lie below one another: row m is the first of part 1. */
function partStores(): string {
  return `
@group(0) @binding(4) var<storage, read_write> parts4: array<V>;
@group(0) @binding(4) var<storage, read_write> parts: array<Acc>;

fn store_part_aligned(part: u32, row: u32, col4: u32, v: V) {
  let pitch = shape.n / 4;
  if (row < shape.m && col4 < pitch) {
    parts4[(part * shape.m + row) * pitch + col4] = v;
  }
}
fn store_part_unaligned(part: u32, row: u32, col4: u32, v: V) {
  for (var lane = 0u; lane < 4; lane++) {
    let col = 4 * col4 + lane;
    if (row < shape.m && col < shape.n) {
      parts[(part * shape.m + row) * shape.n + col] = v[lane];
    }
  }
}`;
}

function addParts(split: number): string {
  return `
@compute @workgroup_size(${ADD_THREADS})
fn add_parts(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let length = shape.m * shape.n;
  for (var at = id.x; at < length; at += groups.x * ${ADD_THREADS}) {
    var sum = Acc(0);
    for (var part = 0u; part < ${split}; part++) {
      sum += parts[part * length + at];
    }
    C[at] = T(sum);
  }
}`;
}

function isSplit(layout: TileLayout): layout is TileLayout & { readonly split: number } {
  return layout.split !== undefined && layout.split > 1;
}

function entryPoint(layout: TileLayout, name: string, access: string): string {
  const { threads, bm, bn, bk, rowGroups, rowStride, colGroups, colStride, row4, col4 } = layout;
  const aBlocks = (bm * bk) / 16 / threads;
  const bVectors = (bn * bk) / 4 / threads;
  const rows = each(4 * rowGroups, (i) => i);

  const loads = (tile: string) => [
    ...each(aBlocks, (block) =>
      each(4, (i) => {
        const k4 = `a_k${block} + ${tile} * ${bk / 4}`;
        return `a${block}_${i} = load_a_${access}(a_row${block}_${i}, ${k4});`;
      }),
    ).flat(),
    ...each(bVectors, (v) => `b${v} = load_b_${access}(b_k${v} + ${tile} * ${bk}, b_col${v});`),
  ];
  const stores = [
    ...each(aBlocks, (block) =>
      ['x', 'y', 'z', 'w'].map((k, i) => {
        const column = each(4, (row) => `a${block}_${row}.${k}`).join(', ');
        return `a_tile[a_to${block} + ${i} * A_PITCH] = V(${column});`;
      }),
    ).flat(),
    ...each(bVectors, (v) => `b_tile[b_to${v}] = b${v};`),
  ];

  return `
@compute @workgroup_size(${threads})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let row4 = ${row4};
  let col4 = ${col4};

  // What this thread stages: 4 x 4 blocks of A, transposed on the way, and vec4s of B.
${indent(
  1,
  each(aBlocks, (block) => {
    const index = `(thread + ${block * threads})`;
    return [
      `let a_k${block} = ${index} % ${bk / 4};`,
      `let a_block${block} = ${index} / ${bk / 4};`,
      `let a_to${block} = 4 * a_k${block} * A_PITCH + a_block${block};`,
      ...each(
        4,
        (i) =>
          `let a_row${block}_${i} = min(group.y * ${bm} + 4 * a_block${block} + ${i}, shape.m - 1);`,
      ),
      `var ${each(4, (i) => `a${block}_${i}: V;`).join(' var ')}`,
    ];
  }).flat(),
)}
${indent(
  1,
  each(bVectors, (v) => {
    const index = `(thread + ${v * threads})`;
    return [
      `let b_k${v} = ${index} / B_PITCH;`,
      `let b_col${v} = group.x * B_PITCH + ${index} % B_PITCH;`,
      `let b_to${v} = ${index};`,
      `var b${v}: V;`,
    ];
  }).flat(),
)}

${indent(
  1,
  rows.map((i) => each(colGroups, (j) => `var ${sum(i, j)}: V;`).join(' ')),
)}

${indent(1, range(layout))}
${indent(1, loads(isSplit(layout) ? 'first' : '0'))}
  for (var tile = 0u; tile < whole; tile++) {
    workgroupBarrier();
${indent(2, stores)}
    workgroupBarrier();
    // The next tile is on its way while this one is multiplied.
${indent(2, loads(isSplit(layout) ? '(first + tile + 1)' : '(tile + 1)'))}
${indent(2, wholeTile(layout))}
  }
  if (rest > 0) {
    workgroupBarrier();
${indent(2, stores)}
    workgroupBarrier();
    for (var k = 0u; k < rest; k++) {
${indent(3, steps(layout, 'k'))}
    }
  }

  let row = group.y * ${bm} + 4 * row4;
  let col = group.x * B_PITCH + col4;
${indent(
  1,
  rows.flatMap((i) =>
    each(colGroups, (j) => {
      const down = Math.floor(i / 4) * rowStride + (i % 4);
      const to = isSplit(layout) ? `store_part_${access}(group.z, ` : `store_c_${access}(`;
      return `${to}row + ${down}, col + ${(j * colStride) / 4}, ${sum(i, j)});`;
    }),
  ),
)}
}`;
}

/** How many whole tiles of K this workgroup multiplies, and steps after them. */
function range({ bk, split = 1 }: TileLayout): string[] {
  if (split === 1) return [`let whole = shape.k / ${bk};`, `let rest = shape.k % ${bk};`];
  return [
    `let tiles = (shape.k + ${bk - 1}) / ${bk};`,
    `let first = (tiles + ${split - 1}) / ${split} * group.z;`,
    `let end = min(first * ${bk} + (tiles + ${split - 1}) / ${split} * ${bk}, shape.k);`,
    `let length = end - min(first * ${bk}, end);`,
    `let whole = length / ${bk};`,
    `let rest = length % ${bk};`,
  ];
}

/** The steps of K of a whole tile. */
function wholeTile(layout: TileLayout): string[] {
  const { bk, unroll } = layout;
  if (unroll === bk) return each(bk, (k) => steps(layout, `${k}`)).flat();
  return [
    `for (var k = 0u; k < ${bk / unroll}; k++) {`,
    ...each(unroll, (k) => steps(layout, `(${unroll} * k + ${k})`)).flat(),
    '}',
  ];
}

/** One step of K: fragments of A and B from workgroup memory, then every product of the two. */
function steps(layout: TileLayout, k: string): string[] {
  const { rowGroups, rowStride, colGroups, colStride, fma = false } = layout;
  return [
    '{',
    ...each(
      rowGroups,
      (g) => `  let a${g} = a_tile[${k} * A_PITCH + row4 + ${(g * rowStride) / 4}];`,
    ),
    ...each(
      colGroups,
      (j) => `  let b${j} = b_tile[${k} * B_PITCH + col4 + ${(j * colStride) / 4}];`,
    ),
    ...each(4 * rowGroups, (i) => i).flatMap((i) => {
      const a = `V(a${Math.floor(i / 4)}.${'xyzw'[i % 4]})`;
      return each(colGroups, (j) => `  ${multiplyAdd(fma, sum(i, j), a, `b${j}`)}`);
    }),
    '}',
  ];
}

function multiplyAdd(fma: boolean, to: string, a: string, b: string): string {
  return fma ? `${to} = fma(${a}, ${b}, ${to});` : `${to} += ${a} * ${b};`;
}

/** Name of the accumulator of a thread's row and column group. */
function sum(row: number, colGroup: number): string {
  return `c${row}_${colGroup}`;
}

function each<R>(count: number, make: (index: number) => R): R[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function indent(depth: number, lines: readonly string[]): string {
  return lines.map((line) => '  '.repeat(depth) + line).join('\n');
}
