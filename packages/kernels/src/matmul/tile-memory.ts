import type { Needs } from '../kernel';
import { isShared, isSplit, type SharedLayout, type TileLayout } from './tile-layout';

/** Unused vec4s behind each row of the tile of A: its columns are written without bank conflicts. */
const A_PADDING = 1;

const aPitch = ({ bm, swizzled }: TileLayout) => bm / 4 + (swizzled ? 0 : A_PADDING);

/** Rows of the tiles in workgroup memory, one a step of K. */
const stagedRows = ({ bk, doubled }: TileLayout) => (doubled ? 2 * bk : bk);

/** Bytes of workgroup memory: both tiles, held in the accumulator's type. */
export function tileBytes(layout: TileLayout): number {
  return stagedRows(layout) * (4 * aPitch(layout) + layout.bn) * 4;
}

/** What a kernel asks of a device that computes a tile of this layout a workgroup. */
export function tileNeeds(layout: TileLayout): Needs {
  return {
    workgroupSize: [layout.threads, 1, 1],
    workgroupBytes: tileBytes(layout),
    features: [],
  };
}

/** Bytes of scratch memory where K is split: the parts' sums. */
export function partBytes(
  split: number,
  { m, n }: { readonly m: number; readonly n: number },
): number {
  return split > 1 ? split * m * n * 4 : 0;
}

/** Threads of `add_parts`, each adding up one element of C or four. */
export const ADD_THREADS = 256;

/** Workgroups of `add_parts`; each thread strides over the rest of C. */
export const MAX_ADD_GROUPS = 4096;

/** The bindings of every tile kernel; each matrix by vec4s and by elements. */
export const MATRICES = `
struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A4: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> B4: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> C4: array<vec4<T>>;
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;
`;

/**
 * Beyond an edge a load is clamped to the last row or column. What it brings is never
 * stored (rows, columns) or never multiplied (K), and nothing branches around it.
 */
export function tileDeclarations(layout: TileLayout): string {
  return `${MATRICES}
${tileMemory(layout)}

fn load_a_aligned(row: u32, k4: u32) -> V {
  let pitch = shape.k / 4;
  return V(A4[row * pitch + min(k4, pitch - 1)]);
}
fn load_b_aligned(k: u32, col4: u32) -> V {
  let pitch = shape.n / 4;
  return V(B4[min(k, shape.k - 1) * pitch + min(col4, pitch - 1)]);
}
${isSplit(layout) ? partStores() : resultStores()}${isShared(layout) ? shareStores(layout) : ''}

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

/** The type of sums and the tiles of A and B. */
export function tileMemory(layout: TileLayout): string {
  const { bn } = layout;
  const rows = stagedRows(layout);
  return `alias V = vec4<Acc>;
const A_PITCH = ${aPitch(layout)}u;
const B_PITCH = ${bn / 4}u;
var<workgroup> a_tile: array<V, ${rows} * A_PITCH>; // transposed: a row holds one k
var<workgroup> b_tile: array<V, ${rows} * B_PITCH>;`;
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

/** What a workgroup found of a tile that it shares goes to a slot of its own. */
function shareStores({ bm, wave }: SharedLayout): string {
  return `
@group(0) @binding(4) var<storage, read_write> parts4: array<V>;

const WAVE_SIZE = ${wave}u;

fn store_share(slot: u32, row: u32, col4: u32, v: V) {
  parts4[(slot * ${bm} + row) * B_PITCH + col4] = v;
}

/// Where the share of a workgroup begins, in steps of the shared tiles one after the other.
fn share(index: u32, steps: u32) -> u32 {
  return index * steps / WAVE_SIZE;
}`;
}

/** Each thread adds up four elements of a shared tile, then the next. */
export function addShares({ bm, bn, bk }: SharedLayout): string {
  return `
@compute @workgroup_size(${ADD_THREADS})
fn add_parts(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let across = (shape.n + ${bn - 1}) / ${bn};
  let tiles = across * ((shape.m + ${bm - 1}) / ${bm});
  let steps = (shape.k + ${bk - 1}) / ${bk};
  let shared_tiles = tiles % WAVE_SIZE;
  let shared_steps = shared_tiles * steps;
  for (var at = id.x; at < shared_tiles * ${(bm * bn) / 4}; at += groups.x * ${ADD_THREADS}) {
    let tile = at / ${(bm * bn) / 4};
    let place = at % ${(bm * bn) / 4};
    let begin = tile * steps;
    var sum = V(0);
    var index = begin * WAVE_SIZE / shared_steps;
    for (; share(index, shared_steps) < begin + steps; index++) {
      let own = share(index, shared_steps);
      // A share that began in the tile before has its second slot here.
      if (share(index + 1, shared_steps) > max(own, begin)) {
        sum += parts4[(2 * index + select(0u, 1u, own < begin)) * ${(bm * bn) / 4} + place];
      }
    }
    let number = tiles - shared_tiles + tile;
    let row = number / across * ${bm} + place / B_PITCH;
    let col4 = number % across * B_PITCH + place % B_PITCH;
    store_c_unaligned(row, col4, sum);
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

export function addParts(split: number): string {
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
