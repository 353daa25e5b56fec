import { gpuKernel } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import type { Problem } from '../problem/problem';
import { scratchOf } from './memory';
import { product, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { resultStores, tileBytes, tileMatrices, tileMemory } from './tile-memory';
import {
  MULADD,
  STAGING_TUNABLES,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TUNABLES,
  type WarpValues,
  warpLayout,
} from './warp-layout';

/** Products of quarters that Strassen needs, instead of eight. */
const PRODUCTS = 7;

/** Threads per workgroup in the adding passes. */
const THREADS = 256;

/** Most workgroups in the adding passes; beyond that, each thread strides over several elements. */
const MAX_GROUPS = 4096;

const layoutOf = (values: WarpValues): TileLayout => ({ ...warpLayout(values), batched: true });

/** Sides of a quarter, rounded up so that its rows start on a vec4. */
function halfOf(problem: Problem<'matmul'>) {
  const { m, n, k } = problem.shape;
  const ofFours = (length: number) => 4 * ceilDiv(ceilDiv(length, 2), 4);
  return { m: ceilDiv(m, 2), n: ofFours(n), k: ofFours(k) };
}

/** Rows that start on a vec4 are moved as vec4s. */
const accessOf = (problem: Problem<'matmul'>) =>
  tileEntryPoint(problem.shape) === 'main' ? 'aligned' : 'unaligned';

/** Workgroups of a pass in which each thread takes four elements of `rows x cols`. */
const adding = (rows: number, cols: number): readonly [number, number, number] => [
  Math.min(ceilDiv((rows * cols) / 4, THREADS), MAX_GROUPS),
  1,
  1,
];

/**
 * One level of Strassen's algorithm (V. Strassen, Gaussian elimination is not optimal,
 * 1969) over the warp tiles: seven products of quarters instead of eight, and eighteen
 * additions. All quarters are padded with zeros to the same size.
 *
 * Its error is bounded by norms of the whole matrices, not of a row and a column, and it grows:
 * with one level, by a factor of 12 (n/2)^2 / n^2 = 3 (N. Higham, Accuracy and stability of
 * numerical algorithms, 2nd ed., theorem 23.2).
 */
export const strassen = gpuKernel({
  id: 'matmul/strassen',
  op: 'matmul',
  rung: 10,
  changes: 'matmul/warp-tile',
  idea: 'Seven products of quarters instead of eight (one level of Strassen), with warp tiles',
  dtypes: ['f32', 'i32', 'f16'],
  errorGrowth: 3,
  flopsPart: PRODUCTS / 8,
  tunables: [...WARP_TUNABLES, MULADD, ...STAGING_TUNABLES],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: WARP_PROBLEM_CONSTRAINTS,
  wgsl: (values, _dtype, { epilogue }) => source({ ...layoutOf(values), epilogue }),
  entryPoint: (_values, problem) => `add_quarters_of_a_${accessOf(problem)}`,
  needs: (values) => {
    const layout = layoutOf(values);
    return {
      workgroupSize: [Math.max(layout.threads, THREADS), 1, 1],
      workgroupBytes: tileBytes(layout),
    };
  },
  workgroups: (_values, problem) => {
    const { m, k } = halfOf(problem);
    return adding(m, k);
  },
  followUps: (values, problem) => {
    const { m, n, k } = halfOf(problem);
    const access = accessOf(problem);
    const grid = [ceilDiv(n, values.BN), ceilDiv(m, values.BM)] as const;
    return [
      { entryPoint: `add_quarters_of_b_${access}`, workgroups: adding(k, n) },
      { entryPoint: 'multiply', workgroups: [...grid, PRODUCTS] },
      { entryPoint: `add_products_${access}`, workgroups: adding(m, n) },
    ];
  },
  scratchBytes: (_values, problem) => {
    const { m, n, k } = halfOf(problem);
    return PRODUCTS * (m * k + k * n + m * n) * 4;
  },
});

/**
 * Scratch memory contains seven left factors, seven right factors and their products, one after
 * the other, as vec4s.
 */
function source(layout: TileLayout): string {
  return `${tileMatrices(layout)}
@group(0) @binding(${scratchOf(layout)}) var<storage, read_write> scratch: array<V>;

${tileMemory(layout)}
${resultStores({ epilogue: layout.epilogue })}

/// The shape of the products of quarters.
fn half_shape() -> Shape {
  return Shape((shape.m + 1) / 2, (shape.n + 7) / 8 * 4, (shape.k + 7) / 8 * 4);
}
fn left_factor(index: u32) -> u32 {
  let half = half_shape();
  return index * (half.m * half.k / 4);
}
fn right_factor(index: u32) -> u32 {
  let half = half_shape();
  return left_factor(${PRODUCTS}) + index * (half.k * half.n / 4);
}
fn product_at(index: u32) -> u32 {
  let half = half_shape();
  return right_factor(${PRODUCTS}) + index * (half.m * half.n / 4);
}

${memory()}

${passes('aligned')}

${passes('unaligned')}

fn load_a_factor(index: u32, row: u32, k4: u32) -> V {
  let pitch = half_shape().k / 4;
  return scratch[left_factor(index) + row * pitch + min(k4, pitch - 1)];
}
fn load_b_factor(index: u32, k: u32, col4: u32) -> V {
  let half = half_shape();
  let pitch = half.n / 4;
  return scratch[right_factor(index) + min(k, half.k - 1) * pitch + min(col4, pitch - 1)];
}
fn store_c_factor(index: u32, row: u32, col4: u32, v: V) {
  let half = half_shape();
  if (row < half.m && col4 < half.n / 4) {
    scratch[product_at(index) + row * (half.n / 4) + col4] = v;
  }
}

@compute @workgroup_size(${layout.threads})
fn multiply(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let shape = half_shape();
${product(layout, 'factor')}
}`;
}

/** Access to A, B and C as vec4s. Matrices are zero beyond their edges, which adds nothing to sums. */
function memory(): string {
  return `
fn a_at_aligned(row: u32, col4: u32) -> V {
  if (row >= shape.m || 4 * col4 >= shape.k) {
    return V(0);
  }
  return V(A4[row * (shape.k / 4) + col4]);
}
fn b_at_aligned(row: u32, col4: u32) -> V {
  if (row >= shape.k || 4 * col4 >= shape.n) {
    return V(0);
  }
  return V(B4[row * (shape.n / 4) + col4]);
}

fn a_at_unaligned(row: u32, col4: u32) -> V {
  var v = V(0);
  for (var lane = 0u; lane < 4; lane++) {
    if (row < shape.m && 4 * col4 + lane < shape.k) {
      v[lane] = Acc(A[row * shape.k + 4 * col4 + lane]);
    }
  }
  return v;
}
fn b_at_unaligned(row: u32, col4: u32) -> V {
  var v = V(0);
  for (var lane = 0u; lane < 4; lane++) {
    if (row < shape.k && 4 * col4 + lane < shape.n) {
      v[lane] = Acc(B[row * shape.n + 4 * col4 + lane]);
    }
  }
  return v;
}`;
}

/** The passes that add quarters before the products, and products after them. */
function passes(access: string): string {
  return `@compute @workgroup_size(${THREADS})
fn add_quarters_of_a_${access}(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let half = half_shape();
  let pitch = half.k / 4;
  let step = groups.x * ${THREADS};
  for (var at = id.x; at < half.m * pitch; at += step) {
    let row = at / pitch;
    let col = at % pitch;
    let a11 = a_at_${access}(row, col);
    let a12 = a_at_${access}(row, pitch + col);
    let a21 = a_at_${access}(half.m + row, col);
    let a22 = a_at_${access}(half.m + row, pitch + col);
    scratch[left_factor(0) + at] = a11 + a22;
    scratch[left_factor(1) + at] = a21 + a22;
    scratch[left_factor(2) + at] = a11;
    scratch[left_factor(3) + at] = a22;
    scratch[left_factor(4) + at] = a11 + a12;
    scratch[left_factor(5) + at] = a21 - a11;
    scratch[left_factor(6) + at] = a12 - a22;
  }
}

@compute @workgroup_size(${THREADS})
fn add_quarters_of_b_${access}(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let half = half_shape();
  let pitch = half.n / 4;
  let step = groups.x * ${THREADS};
  for (var at = id.x; at < half.k * pitch; at += step) {
    let row = at / pitch;
    let col = at % pitch;
    let b11 = b_at_${access}(row, col);
    let b12 = b_at_${access}(row, pitch + col);
    let b21 = b_at_${access}(half.k + row, col);
    let b22 = b_at_${access}(half.k + row, pitch + col);
    scratch[right_factor(0) + at] = b11 + b22;
    scratch[right_factor(1) + at] = b11;
    scratch[right_factor(2) + at] = b12 - b22;
    scratch[right_factor(3) + at] = b21 - b11;
    scratch[right_factor(4) + at] = b22;
    scratch[right_factor(5) + at] = b11 + b12;
    scratch[right_factor(6) + at] = b21 + b22;
  }
}

@compute @workgroup_size(${THREADS})
fn add_products_${access}(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let half = half_shape();
  let pitch = half.n / 4;
  let step = groups.x * ${THREADS};
  for (var at = id.x; at < half.m * pitch; at += step) {
    let row = at / pitch;
    let col = at % pitch;
    let m1 = scratch[product_at(0) + at];
    let m2 = scratch[product_at(1) + at];
    let m3 = scratch[product_at(2) + at];
    let m4 = scratch[product_at(3) + at];
    let m5 = scratch[product_at(4) + at];
    let m6 = scratch[product_at(5) + at];
    let m7 = scratch[product_at(6) + at];
    store_c_${access}(row, col, m1 + m4 - m5 + m7);
    store_c_${access}(row, pitch + col, m3 + m5);
    store_c_${access}(half.m + row, col, m2 + m4);
    store_c_${access}(half.m + row, pitch + col, m1 - m2 + m3 + m6);
  }
}`;
}
