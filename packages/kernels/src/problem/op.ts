import type { Verification } from '../verify/verification';
import { DTYPES, type Dtype } from './dtype';
import type { Tensor } from './scalar';
import type { Item } from './storage';
import { type StoredTensors, storedTensors } from './tensors';

/** Rows and columns of one row-major tensor. */
export interface TensorDims {
  readonly rows: number;
  readonly cols: number;
}

export const RATE_UNITS = ['GFLOP/s', 'Gop/s', 'GB/s'] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** The unit in which operations of a dtype are counted. */
export const opsUnit = (dtype: Dtype): RateUnit => (DTYPES[dtype].isInteger ? 'Gop/s' : 'GFLOP/s');

/** One dimension of a shape: its name and the letter it is written with (`m`, `M`). */
interface Dimension<Name extends string = string> {
  readonly name: Name;
  readonly letter: string;
  /**
   * For a dimension that counts problems, which lie one after the other in every tensor: how many
   * there are in a shape that does not say. A shape never says so many, neither as text nor as JSON.
   * Absent: a side, which every shape has.
   */
  readonly default?: 1;
}

/** The sizes of a shape's sides and, if it is of a batch, its counts. */
export type Sizes<Side extends string, Count extends string = never> = Readonly<
  Record<Side, number>
> & { readonly [count in Count]?: number };

/** An op as its folder declares it; `defineOp` derives the rest. */
interface OpDeclaration<Side extends string, Count extends string> {
  readonly title: string;
  /** In the order they are written: `BxMxNxK`. */
  readonly dimensions: readonly Dimension<Side | Count>[];
  /** What its rate counts: operations, or bytes if it has no arithmetic to speak of. */
  readonly counts: 'flops' | 'bytes';
  /** Id of the kernel that others are held against: the best of ours on most devices. */
  readonly rival: string;
  /** What its kernels do with elements, for captions: `computes`, `moves`. */
  readonly verb: string;
  /** Inputs, then the output: their names in kernels and docs. */
  readonly tensors: readonly string[];
  /** The tensors of a batch are one below the other. */
  inputs(shape: Sizes<Side, Count>): readonly TensorDims[];
  output(shape: Sizes<Side, Count>): TensorDims;
  /** The shape whose tiled tensor (the one divided among workgroups) has these rows and columns. */
  tiled(rows: number, cols: number): Sizes<Side, Count>;
  /** Floating-point (or integer) operations of one run. */
  flops(shape: Sizes<Side, Count>): number;
  /** The most products summed into one output element; it limits how large exact inputs can be. */
  terms(shape: Sizes<Side, Count>): number;
  /** How an output is verified. */
  readonly verification: Verification<Sizes<Side, Count>>;
}

/**
 * An operation, independent of how it is computed. Its work is declared once, here, so that
 * every kernel's rate is derived from the same numbers.
 *
 * The members are methods because TypeScript compares method parameters bivariantly: an op of one
 * shape can then be used where any op is expected. `opOf` in ops.ts pairs op and problem.
 */
export interface Op<Side extends string = string, Count extends string = never>
  extends OpDeclaration<Side, Count> {
  /** GFLOP/s, for integers Gop/s, or GB/s. */
  rateUnit(problem: { readonly dtype: Dtype }): RateUnit;
  /** Sizes of all dimensions, in the order they are written. */
  sizes(shape: Sizes<Side, Count>): readonly number[];
  /** Sizes of the sides alone, in the same order: what kernels are given. */
  sides(shape: Sizes<Side, Count>): readonly number[];
  /** How many problems with these sides lie one after the other; 1: it is not a batch. */
  batch(shape: Sizes<Side, Count>): number;
  /** The shape with these sizes or, if there are only so many, with these sides. */
  shape(sizes: readonly number[]): Sizes<Side, Count>;
  /** The shape whose sides all have this size. */
  square(size: number): Sizes<Side, Count>;
  /** Its tensors as they lie in memory. */
  stored(shape: Sizes<Side, Count>, dtype: Dtype): StoredTensors;
  /** Bytes moved by one run if every input is read once and the output written once. */
  bytes(shape: Sizes<Side, Count>, dtype: Dtype): number;
  /** Rate of a run that takes `ns`, in `rateUnit`. Higher is better. */
  rate(problem: { readonly shape: Sizes<Side, Count>; readonly dtype: Dtype }, ns: number): number;
}

export function defineOp<const Side extends string, const Count extends string = never>(
  declared: OpDeclaration<Side, Count>,
): Op<Side, Count> {
  type Shape = Sizes<Side, Count>;
  const { dimensions, counts, tensors, inputs, output, flops } = declared;
  const sides = dimensions.filter((dimension) => dimension.default === undefined);
  const sizesOf = (counted: typeof dimensions, shape: Readonly<Record<string, number>>) =>
    counted.map((dimension) => shape[dimension.name] ?? dimension.default ?? Number.NaN);
  const shapeOf = (sizes: readonly number[]) => {
    const given = sizes.length === sides.length ? sides : dimensions;
    const pairs = given.map((dimension, i) => [dimension, sizes[i] ?? 1] as const);
    return Object.fromEntries(
      pairs.flatMap(([dimension, size]) =>
        size === dimension.default ? [] : [[dimension.name, size]],
      ),
    ) as Shape;
  };
  const batch = (shape: Shape) =>
    sizesOf(
      dimensions.filter((dimension) => !sides.includes(dimension)),
      shape,
    ).reduce((product, size) => product * size, 1);
  // A search asks for those of one shape with every variant.
  const kept = new WeakMap<Shape, Map<Dtype, StoredTensors>>();
  const stored = (shape: Shape, dtype: Dtype): StoredTensors => {
    const ofShape = kept.get(shape) ?? new Map<Dtype, StoredTensors>();
    kept.set(shape, ofShape);
    const cached = ofShape.get(dtype);
    if (cached) return cached;
    const made = storedTensors(
      {
        names: tensors,
        inputs: inputs(shape),
        output: output(shape),
        batch: batch(shape),
      },
      dtype,
    );
    ofShape.set(dtype, made);
    return made;
  };
  const bytes = (shape: Shape, dtype: Dtype) => {
    const all = stored(shape, dtype);
    return [...all.inputs, all.output]
      .flatMap(({ parts }) => parts)
      .reduce((sum, part) => sum + part.bytes, 0);
  };
  return {
    ...declared,
    rateUnit: ({ dtype }) => (counts === 'bytes' ? 'GB/s' : opsUnit(dtype)),
    sizes: (shape) => sizesOf(dimensions, shape),
    sides: (shape) => sizesOf(sides, shape),
    batch,
    shape: shapeOf,
    square: (size) => shapeOf(sides.map(() => size)),
    stored,
    bytes,
    rate: ({ shape, dtype }, ns) => (counts === 'flops' ? flops(shape) : bytes(shape, dtype)) / ns,
  };
}

export function elements({ rows, cols }: TensorDims): number {
  return rows * cols;
}

/** A tensor of zeros on the host, optionally in memory shared between threads. */
export function allocate(
  { HostArray }: Pick<Item, 'HostArray'>,
  length: number,
  shared = false,
): Tensor {
  const bytes = HostArray.BYTES_PER_ELEMENT * length;
  return shared ? new HostArray(new SharedArrayBuffer(bytes)) : new HostArray(length);
}
