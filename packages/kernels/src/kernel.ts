import type { Dtype } from './dtype';
import type { OpId, Problem } from './problem';

export type TunableValue = number | string;

/** Chosen values, one for each declared tunable of a kernel. */
export type TunableValues = Readonly<Record<string, TunableValue>>;

/**
 * A declared parameter of a kernel. Shader, dispatch, needs, forms and docs all
 * read this one declaration.
 */
export interface Tunable {
  /** The name in the shader, in addresses and in forms: `TILE`. */
  readonly name: string;
  /** One line for people: what it changes. */
  readonly about: string;
  readonly values: readonly TunableValue[];
  /** Used where a variant does not name the tunable; one of `values`. */
  readonly default: TunableValue;
}

/** A combination that makes no sense, with the reason people are shown. */
export interface Constraint {
  readonly reason: string;
  readonly holds: (values: TunableValues) => boolean;
}

/** A shape or dtype that a combination is not made for, with the reason people are shown. */
export interface ProblemConstraint {
  readonly reason: string;
  readonly holds: (values: TunableValues, problem: Problem) => boolean;
}

/** What a specialised kernel asks of a device. */
export interface Needs {
  readonly workgroupSize: readonly [x: number, y: number, z: number];
  /** Bytes of workgroup memory. */
  readonly workgroupBytes: number;
  /**
   * WebGPU features, for example `shader-f16`, and what else a device may or may not
   * do, named the same way: `subgroup-size-32`, `subgroup-matrix-f32-f16-16x16x16`.
   */
  readonly features: readonly string[];
}

interface KernelBase {
  /** `<op>/<name>`, for example `matmul/tiled`. */
  readonly id: string;
  readonly op: OpId;
  /** The idea in one line. */
  readonly idea: string;
  readonly dtypes: readonly Dtype[];
  readonly tunables: readonly Tunable[];
  readonly constraints: readonly Constraint[];
  /** Problems it cannot take; `feasible` reports them. Absent: it takes any. */
  readonly problemConstraints?: readonly ProblemConstraint[];
  /** Rung of the op's ladder; orders kernels and names the rung to diff against. */
  readonly rung: number;
  /** `copy`: the output is the input unchanged (a ceiling). Absent: what the op says. */
  readonly computes?: 'copy';
  /**
   * How many times the error of the usual sum of products it may have, against the
   * largest norms of all rows and columns. Absent: the usual, against its own row and
   * column (docs/tolerance.md).
   */
  readonly errorGrowth?: number;
  /**
   * Part of the op's operations that it does; absent: all. Only what a device can do at
   * most is held against it: rates are the op's whatever the kernel.
   */
  readonly flopsPart?: number;
}

/** One dispatch of a kernel. */
export interface Pass {
  readonly entryPoint: string;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

/** A kernel written in WGSL. Entry point `main`; bindings 0 = A, 1 = B or output, ..., see `wgsl`. */
export interface GpuKernel extends KernelBase {
  readonly runsOn: 'gpu';
  /** The shader body; `specialise` puts the declarations of dtype and tunables before it. */
  readonly wgsl: string | ((values: TunableValues, dtype: Dtype) => string);
  /** Tunables declared `override`, known to the shader only when its pipeline is built. */
  readonly overrides?: (values: TunableValues) => readonly string[];
  readonly needs: (values: TunableValues, dtype: Dtype) => Needs;
  /**
   * Entry point of the shader for a problem; absent: always `main`. A kernel whose
   * fast path asks something of a shape has a second entry point for the others.
   */
  readonly entryPoint?: (values: TunableValues, problem: Problem) => string;
  /** Workgroups to dispatch for a problem. */
  readonly workgroups: (
    values: TunableValues,
    problem: Problem,
  ) => readonly [x: number, y: number, z: number];
  /** Further dispatches, in order, of a kernel that takes more than one. */
  readonly followUps?: (values: TunableValues, problem: Problem) => readonly Pass[];
  /** Size of a buffer that its dispatches share, bytes, bound after the shape; 0: none. */
  readonly scratchBytes?: (values: TunableValues, problem: Problem) => number;
}

/** Rows of an output, from `first` to before `end`. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** A kernel run by the host CPU: the baseline every speed-up over the host is taken from. */
export interface HostKernel extends KernelBase {
  readonly runsOn: 'cpu';
  /** Threads that share the rows of the output; absent: all rows on the calling thread. */
  readonly threads?: (values: TunableValues) => number | 'all';
  /**
   * Computes rows of `output` from `inputs` (row-major); the arrays' type follows the
   * problem's dtype. A kernel without `threads` is always asked for all rows.
   */
  readonly run: (
    values: TunableValues,
    problem: Problem,
    inputs: readonly Tensor[],
    output: Tensor,
    rows: Rows,
  ) => void;
}

export type Kernel = GpuKernel | HostKernel;

/** Host-side contents of a tensor. f16 is held as f32 values rounded to half precision. */
export type Tensor = Float32Array | Int32Array;

/** One kernel with a value for every tunable. */
export interface Variant {
  readonly kernel: string;
  readonly tunables: TunableValues;
}
