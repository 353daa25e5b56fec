import type { Dtype, MatmulShape, Problem } from '@tilemark/kernels';
import type { Mutant } from '../mutant';

/** A matrix product that is right but for what a mutant changes. */

/** The places of a right kernel in which a mutant differs. */
interface Parts {
  /** Before the sum. */
  readonly before: string;
  readonly start: string;
  readonly from: string;
  readonly end: string;
  readonly product: string;
  /** Of the sum so far and the product. */
  readonly add: string;
  readonly result: string;
  readonly store: string;
}

const RIGHT: Parts = {
  before: '',
  start: 'Acc(0)',
  from: '0u',
  end: 'k',
  product: 'left * right',
  add: 'sum + product',
  result: 'T(sum)',
  store: 'C[at] = result;',
};

interface Change extends Partial<Parts> {
  /** Statements after an element is stored. */
  readonly after?: string;
  /** Bytes shared by its dispatches. */
  readonly scratch?: (shape: MatmulShape) => number;
  /** Further entry points. */
  readonly more?: string;
  readonly passes?: (
    shape: MatmulShape,
  ) => readonly { entryPoint: string; workgroups: readonly [number, number, number] }[];
  /** The whole of the first entry point, instead of all parts. */
  readonly main?: string;
  readonly dtypes?: readonly Dtype[];
  readonly on?: (shape: MatmulShape) => boolean;
  readonly samples?: number;
  readonly isTimed?: boolean;
}

const ALL: readonly Dtype[] = ['f32', 'i32', 'f16', 'f16acc16'];
export const FLOATS: readonly Dtype[] = ['f32', 'f16', 'f16acc16'];

function wgslOf(change: Change): string {
  const { before, start, from, end, product, add, result, store } = { ...RIGHT, ...change };
  const scratch = change.scratch
    ? '@group(0) @binding(4) var<storage, read_write> scratch: array<u32>;'
    : '';
  const body =
    change.main ??
    `@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let m = shape.m; let n = shape.n; let k = shape.k;
  let row = id.y; let col = id.x; let at = row * n + col;
  if (row >= m || col >= n) { return; }
  ${before}
  var sum = ${start};
  for (var p = ${from}; p < ${end}; p++) {
    let left = Acc(A[row * k + p]);
    let right = Acc(B[p * n + col]);
    let product = ${product};
    sum = ${add};
  }
  var result = ${result};
  ${store}
  ${change.after ?? ''}
}`;
  return `struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;
${scratch}
fn is_nan(x: T) -> bool {
  let bits = bitcast<u32>(f32(x));
  return (bits & 0x7f800000u) == 0x7f800000u || bits == 0x4eff82ffu;
}
fn short(x: f32, mask: u32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) + ((~mask + 1u) >> 1u)) & mask);
}
${change.more ?? ''}
${body}
`;
}

const shapeOf = ({ shape }: Problem): MatmulShape => shape as MatmulShape;

export function mutant(name: string, change: Change): Mutant {
  const { dtypes = ALL, on = () => true, passes, samples, isTimed, scratch } = change;
  const id = `matmul/mutant-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}` as const;
  return {
    name,
    isWrongOn: (problem) => dtypes.includes(problem.dtype) && on(shapeOf(problem)),
    ...(samples !== undefined && { samples }),
    ...(isTimed && { isTimed }),
    kernel: {
      id,
      op: 'matmul',
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes,
      tunables: [],
      constraints: [],
      wgsl: wgslOf(change),
      needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
      workgroups: (_values, problem) => gridOf(shapeOf(problem)),
      ...(passes && { followUps: (_values, problem) => passes(shapeOf(problem)) }),
      ...(scratch && { scratchBytes: (_values, problem) => scratch(shapeOf(problem)) }),
    },
  };
}

export const gridOf = ({ m, n }: MatmulShape): readonly [number, number, number] => [
  Math.ceil(n / 16),
  Math.ceil(m / 16),
  1,
];

// An element away from edges of tiles, where there are any.
export const PLACE = 'row == (2u * m) / 3u && col == (3u * n) / 5u';
export const inTile = (size: number) =>
  `(row / ${size}u == (m / 2u) / ${size}u && col / ${size}u == (n / 2u) / ${size}u)`;
/** Recomputes an element from another row and column. */
export const ELEMENT = `fn element(row: u32, col: u32) -> T {
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  return T(sum);
}`;
/** Sums in f32, whatever the dtype's. */
export const IN_F32 = { start: '0.0', product: 'f32(left) * f32(right)' } as const;
/** Counts dispatches in scratch[0] after each. */
export const COUNTING: Pick<Change, 'scratch' | 'more' | 'passes'> = {
  scratch: () => 16,
  more: '@compute @workgroup_size(1)\nfn count() { scratch[0] = scratch[0] + 1u; }',
  passes: () => [{ entryPoint: 'count', workgroups: [1, 1, 1] }],
};
/** The kernel's values are as large as those of the dtype's inputs. */
export const isLarge = ({ m, n, k }: MatmulShape) => m * n * k >= 2 ** 27;
