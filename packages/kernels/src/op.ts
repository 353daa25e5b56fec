import { DTYPES, type Dtype, type Tensor } from './dtype';
import type { Verification } from './verify/verification';

/** Rows and columns of one row-major tensor. */
export interface TensorDims {
  readonly rows: number;
  readonly cols: number;
}

/** A rectangle of a tensor. */
export interface Region extends TensorDims {
  readonly row: number;
  readonly col: number;
}

export const RATE_UNITS = ['GFLOP/s', 'Gop/s', 'GB/s'] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** What operations of a dtype are counted in. */
export const opsUnit = (dtype: Dtype): RateUnit => (DTYPES[dtype].isInteger ? 'Gop/s' : 'GFLOP/s');

/** One dimension of a shape: its name and the letter it is written with (`m`, `M`). */
export interface Dimension<Name extends string = string> {
  readonly name: Name;
  readonly letter: string;
}

type Sizes<Name extends string> = Readonly<Record<Name, number>>;

/** What an op declares; `defineOp` derives the rest. */
interface OpDeclaration<Name extends string> {
  readonly title: string;
  /** In the order they are written: `MxNxK`. */
  readonly dimensions: readonly Dimension<Name>[];
  /** What its rate counts: operations, or bytes if it has no arithmetic to speak of. */
  readonly counts: 'flops' | 'bytes';
  /** What its kernels do with elements, for captions: `computes`, `moves`. */
  readonly verb: string;
  /** Inputs, then the output: their names in kernels and docs, and their column and row in pictures. */
  readonly tensors: readonly { readonly name: string; readonly at: readonly [number, number] }[];
  inputs(shape: Sizes<Name>): readonly TensorDims[];
  output(shape: Sizes<Name>): TensorDims;
  /** The shape whose tiled tensor (the one divided among workgroups) has these rows and columns. */
  tiled(rows: number, cols: number): Sizes<Name>;
  /** For each of `tensors`, the region that a tile's workgroup reads or writes. */
  touches(tile: Region, shape: Sizes<Name>): readonly Region[];
  /** Floating-point (or integer) operations of one run. */
  flops(shape: Sizes<Name>): number;
  /** The most products summed into one output element; it limits how large exact inputs can be. */
  terms(shape: Sizes<Name>): number;
  /** How an output is verified. */
  readonly verification: Verification<Sizes<Name>>;
}

/**
 * An operation, independent of how it is computed. Its work is declared once, here, so that
 * every kernel's rate is derived from the same numbers.
 *
 * The members are methods because TypeScript compares method parameters bivariantly: an op of one
 * shape can then be used where any op is expected. `opOf` in ops.ts pairs op and problem.
 */
export interface Op<Name extends string = string> extends OpDeclaration<Name> {
  /** GFLOP/s, for integers Gop/s, or GB/s. */
  rateUnit(problem: { readonly dtype: Dtype }): RateUnit;
  /** Sizes of the dimensions, in the order they are written. */
  sizes(shape: Sizes<Name>): readonly number[];
  /** The shape with these sizes; the inverse of `sizes`. */
  shape(sizes: readonly number[]): Sizes<Name>;
  /** Bytes moved by one run if every input is read once and the output written once. */
  bytes(shape: Sizes<Name>, dtype: Dtype): number;
  /** Rate of a run that takes `ns`, in `rateUnit`. Higher is better. */
  rate(problem: { readonly shape: Sizes<Name>; readonly dtype: Dtype }, ns: number): number;
}

export function defineOp<const Name extends string>(declared: OpDeclaration<Name>): Op<Name> {
  const { dimensions, counts, inputs, output, flops } = declared;
  const bytes = (shape: Sizes<Name>, dtype: Dtype) =>
    DTYPES[dtype].bytes *
    [...inputs(shape), output(shape)].reduce((sum, dims) => sum + elements(dims), 0);
  return {
    ...declared,
    rateUnit: ({ dtype }) => (counts === 'bytes' ? 'GB/s' : opsUnit(dtype)),
    sizes: (shape) => dimensions.map(({ name }) => shape[name]),
    shape: (sizes) =>
      Object.fromEntries(dimensions.map(({ name }, i) => [name, sizes[i] ?? 1])) as Sizes<Name>,
    bytes,
    rate: ({ shape, dtype }, ns) => (counts === 'flops' ? flops(shape) : bytes(shape, dtype)) / ns,
  };
}

export function elements({ rows, cols }: TensorDims): number {
  return rows * cols;
}

/** A tensor of zeros on the host, optionally in memory shared between threads. */
export function allocate(dtype: Dtype, length: number, shared = false): Tensor {
  const { HostArray } = DTYPES[dtype];
  const bytes = HostArray.BYTES_PER_ELEMENT * length;
  return shared ? new HostArray(new SharedArrayBuffer(bytes)) : new HostArray(length);
}
