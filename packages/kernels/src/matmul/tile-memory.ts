import { type Pass, tunable } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import { areBytes, DTYPES, type Dtype, isBlocked } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { matrices, rowOf, scratchOf, stored, storedFour, type View, type Written } from './memory';
import type { MatmulShape } from './op';
import { isPacked, packedFunctions, scaleBytes, stagedTypes } from './packed-dots';
import { isShared, isSplit, type SharedLayout, type TileLayout } from './tile-layout';
import { loadFour } from './weights-memory';

/** Unused vec4s after each row of A's tile, so that columns are written without bank conflicts. */
const A_PADDING = 1;

const aPitch = ({ bm, swizzled }: TileLayout) => bm / 4 + (swizzled ? 0 : A_PADDING);

/** Rows of the tiles in workgroup memory, one per step of K. */
const stagedRows = ({ bk, doubled }: TileLayout) => (doubled ? 2 * bk : bk);

/** Bytes of workgroup memory: both tiles, stored in the accumulator's type. */
export function tileBytes(layout: TileLayout): number {
  return stagedRows(layout) * (4 * aPitch(layout) + layout.bn) * 4 + scaleBytes(layout);
}

/** The requirements of a kernel that computes one such tile per workgroup. */
export function tileNeeds(layout: TileLayout) {
  return {
    workgroupSize: [layout.threads, 1, 1] as const,
    workgroupBytes: tileBytes(layout),
  };
}

/** The type of a strip's sums: f32 even for f16acc16; where memory is the bound they cost nothing. */
export const sumsOf = (dtype: Dtype) => (DTYPES[dtype].isInteger ? 'i32' : 'f32');

/** The tunable of kernels that may split K. */
export const splitTunable = <const Values extends readonly [1, ...number[]]>(values: Values) =>
  tunable(
    'SPLIT',
    'Parts of K, each summed by its own workgroups, then added by a second pass; 1: no split',
    values,
    1,
  );

interface SplitValues {
  readonly SPLIT: number;
}

/** The declarations of kernels that split K. */
export const SPLIT_PASSES = {
  followUps: ({ SPLIT }: SplitValues, { shape }: Problem<'matmul'>) => addPasses(SPLIT, shape),
  scratchBytes: ({ SPLIT }: SplitValues, { shape: { b = 1, m, n } }: Problem<'matmul'>) =>
    SPLIT > 1 ? b * SPLIT * m * n * 4 : 0,
  splitBy: ['SPLIT'],
  work: ({ SPLIT }: SplitValues, { shape }: Problem<'matmul'>) => ({ steps: shape.k / SPLIT }),
} as const;

/** A kernel that may split K, as its emitter knows it. */
interface Split extends Written {
  readonly split?: number;
}

/** The meaning of a workgroup's z: the parts of K of one product, then of the next. */
export function numbersOf({ split = 1, batched }: Split, z = 'group.z') {
  if (!batched) return { product: '0', part: z };
  return split === 1
    ? { product: z, part: '0' }
    : { product: `${z} / ${split}`, part: `(${z} % ${split})` };
}

/** Threads per workgroup of `add_parts`; each sums one element of C or four. */
export const ADD_THREADS = 256;

/** Most workgroups of `add_parts`; beyond that, each thread strides over several elements. */
export const MAX_ADD_GROUPS = 4096;

/** The bindings of every kernel of tiles and strips: each matrix as vec4s and as elements, unless in blocks. */
export function tileMatrices(written: Written): string {
  const { weights } = written;
  const [bytes, blocks] = weights ? [areBytes(weights), isBlocked(weights)] : [false, false];
  const vectors = (name: string): View[] => [
    [`${name}4`, 'vec4<T>'],
    [name, 'T'],
  ];
  return matrices(written, {
    A: bytes ? [['A4', 'vec4u']] : vectors('A'),
    B: bytes ? [['B4', 'vec4u']] : blocks ? [['B', 'u32']] : vectors('B'),
    C: vectors('C'),
  });
}

/**
 * Beyond an edge, loads are clamped to the last row or to the matrix instead of branching. Those
 * values are never stored (rows, columns) or never multiplied (K).
 */
export function tileDeclarations(layout: TileLayout): string {
  const product = layout.batched ? 'product: u32, ' : '';
  const rowOfA = rowOf(layout, 'shape.m', 'row');
  const rowOfB = rowOf(layout, 'shape.k', 'min(k, shape.k - 1)');
  const last = (matrix: string, length: string) =>
    layout.batched ? `arrayLength(&${matrix}) - 1` : `(${length} - 1) / 4`;
  const lastB = last('B4', 'shape.k * shape.n');
  const { element, staged } = stagedTypes(layout);
  const alignedB = layout.weights
    ? loadFour(layout.weights, product, rowOf(layout, 'shape.n', 'row'), lastB)
    : `fn load_b_aligned(${product}k: u32, col4: u32) -> V {
  let pitch = shape.n / 4;
  return V(B4[${rowOfB} * pitch + min(col4, pitch - 1)]);
}`;
  const unalignedB = layout.weights
    ? ''
    : `fn load_b_unaligned(${product}k: u32, col4: u32) -> V {
  let at = ${rowOfB} * shape.n + 4 * col4;
  let last = ${lastB};
  return V(shifted(B4[min(at / 4, last)], B4[min(at / 4 + 1, last)], at % 4));
}
`;
  return `${tileMatrices(layout)}
${isPacked(layout) ? packedFunctions(layout) : ''}
${tileMemory(layout)}

fn load_a_aligned(${product}row: u32, k4: u32) -> ${staged} {
  let pitch = shape.k / 4;
  return ${staged}(A4[${rowOfA} * pitch + min(k4, pitch - 1)]);
}
${alignedB}
${isSplit(layout) ? partStores(layout) : resultStores(layout)}${isShared(layout) ? shareStores(layout) : ''}

// Rows that start between two vec4s: both are loaded, and neighbours find theirs in the cache.
fn load_a_unaligned(${product}row: u32, k4: u32) -> ${staged} {
  let at = ${rowOfA} * shape.k + 4 * k4;
  let last = ${last('A4', 'shape.m * shape.k')};
  return ${staged}(shifted(A4[min(at / 4, last)], A4[min(at / 4 + 1, last)], at % 4));
}
${unalignedB}
/// Four of the eight elements, the first of them number by.
fn shifted(low: vec4<${element}>, high: vec4<${element}>, by: u32) -> vec4<${element}> {
  let is_odd = by % 2 == 1;
  let first = select(low, vec4(low.yzw, high.x), is_odd);
  let second = select(high.xy, high.yz, is_odd);
  return select(first, vec4(first.zw, second), by >= 2);
}`;
}

/** The type of sums and the tiles of A and B. */
export function tileMemory(layout: TileLayout): string {
  const { bn } = layout;
  const rows = stagedRows(layout);
  const { staged } = stagedTypes(layout);
  return `alias V = vec4<Acc>;
const A_PITCH = ${aPitch(layout)}u;
const B_PITCH = ${bn / 4}u;
var<workgroup> a_tile: array<${staged}, ${rows} * A_PITCH>; // transposed: a row holds one k
var<workgroup> b_tile: array<${staged}, ${rows} * B_PITCH>;`;
}

/** Stores into C, of vec4s and of elements. */
export function resultStores(layout: Written): string {
  const product = layout.batched ? 'product: u32, ' : '';
  const to = rowOf(layout, 'shape.m', 'row');
  return `
fn store_c_aligned(${product}row: u32, col4: u32, v: V) {
  let pitch = shape.n / 4;
  if (row < shape.m && col4 < pitch) {
    C4[${to} * pitch + col4] = ${storedFour(layout, 'v', '4 * col4')};
  }
}
fn store_c_unaligned(${product}row: u32, col4: u32, v: V) {
  for (var lane = 0u; lane < 4; lane++) {
    let col = 4 * col4 + lane;
    if (row < shape.m && col < shape.n) {
      C[${to} * shape.n + col] = ${stored(layout, 'v[lane]', 'col')};
    }
  }
}`;
}

/** Each workgroup writes its share of a shared tile to its own slot. */
function shareStores(layout: SharedLayout): string {
  const { bm, wave } = layout;
  return `
@group(0) @binding(${scratchOf(layout)}) var<storage, read_write> parts4: array<V>;

const WAVE_SIZE = ${wave}u;

fn store_share(slot: u32, row: u32, col4: u32, v: V) {
  parts4[(slot * ${bm} + row) * B_PITCH + col4] = v;
}

/// Where the share of a workgroup begins, in steps of the shared tiles one after the other.
fn share(index: u32, steps: u32) -> u32 {
  return index * steps / WAVE_SIZE;
}`;
}

/** Each thread sums four elements of one shared tile, then of the next. */
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

/** The parts are stacked: row m is the first row of part 1. So are those of a batch's products. */
function partStores(layout: TileLayout): string {
  const scratch = scratchOf(layout);
  return `
@group(0) @binding(${scratch}) var<storage, read_write> parts4: array<V>;
@group(0) @binding(${scratch}) var<storage, read_write> parts: array<Acc>;

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

/**
 * How the threads of `add_parts` are shared out: `line` adjacent elements, each summed by `deep`
 * threads. Many parts of a small C would otherwise be added by too few threads, one after another.
 */
function addLayout(split: number) {
  const deep = Math.min(16, 2 ** Math.max(0, Math.floor(Math.log2(split)) - 2));
  return { deep, line: ADD_THREADS / deep };
}

/** The second pass of a product whose K is split; none without parts. */
function addPasses(split: number, { b = 1, m, n }: MatmulShape): readonly Pass[] {
  if (split <= 1) return [];
  const groups = Math.min(ceilDiv(m * n, addLayout(split).line), MAX_ADD_GROUPS);
  return [{ entryPoint: 'add_parts', workgroups: [groups, 1, b] }];
}

/** Sums `sums` (the type of a part's elements) of all parts into C; of a batch, those of product z. */
export function addParts(layout: Split, sums = 'Acc'): string {
  const { split = 1, batched = false } = layout;
  const { deep, line } = addLayout(split);
  const firstPart = batched ? `group.z * ${split} + ` : '';
  const firstElement = batched ? 'group.z * length + ' : '';
  return `
var<workgroup> partial: array<${sums}, ${ADD_THREADS}>;

@compute @workgroup_size(${ADD_THREADS})
fn add_parts(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let length = shape.m * shape.n;
  for (var first = group.x * ${line}; first < length; first += groups.x * ${line}) {
    let at = first + thread % ${line};
    var sum = ${sums}(0);
    for (var part = 0u; part < ${Math.ceil(split / deep)}; part++) {
      sum += parts[(${firstPart}part * ${deep} + thread / ${line}) * length + min(at, length - 1)];
    }
    workgroupBarrier();
    partial[thread] = sum;
    workgroupBarrier();
    if (thread < ${line} && at < length) {
      var total = ${sums}(0);
      for (var i = 0u; i < ${deep}; i++) {
        total += partial[i * ${line} + thread];
      }
      C[${firstElement}at] = ${stored(layout, 'total', 'at % shape.n')};
    }
  }
}`;
}
