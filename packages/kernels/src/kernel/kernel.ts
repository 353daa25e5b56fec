/**
 * What a kernel is: a value with its idea, tunables, constraints and code. The ladders in matmul/
 * and transpose/ declare them with `gpuKernel` and `hostKernel`, and their ladder.ts lists them.
 */

import type { Rows } from '../numbers';
import type { Dtype } from '../problem/dtype';
import type { Epilogue } from '../problem/epilogue';
import { isBatch, type OpId, opOf } from '../problem/ops';
import type { Problem, Shape } from '../problem/problem';
import type { Tensor } from '../problem/scalar';

export type TunableValue = number | string;

/** Chosen values, one per declared tunable of a kernel. */
export type TunableValues = Readonly<Record<string, TunableValue>>;

/**
 * A declared parameter of a kernel: the single source for shader, dispatch, needs, forms and docs.
 */
export interface Tunable {
  /** Its name in the shader, addresses and forms: `TILE`. */
  readonly name: string;
  /** One line for users: what it changes. */
  readonly about: string;
  readonly values: readonly TunableValue[];
  /** Used if a variant leaves the tunable out; one of `values`. */
  readonly default: TunableValue;
}

/** Declares a tunable, in the order in which people ask: name, what it changes, values, default. */
export const tunable = <const Name extends string, const Values extends readonly TunableValue[]>(
  name: Name,
  about: string,
  values: Values,
  initial: Values[number],
) => ({ name, about, values, default: initial });

/** The values of declared tunables, each typed as the union its declaration lists. */
export type ValuesOf<Tunables extends readonly Tunable[]> = {
  readonly [Each in Tunables[number] as Each['name']]: Each['values'][number];
};

/** A condition that tunable values must meet together, with the reason shown if they do not. */
export interface Constraint<Values = TunableValues> {
  readonly reason: string;
  readonly holds: (values: Values) => boolean;
}

/** A condition on tunable values and problem, with the reason shown if it is not met. */
export interface ProblemConstraint<Values = TunableValues, Of = Problem> {
  readonly reason: string;
  readonly holds: (values: Values, problem: Of) => boolean;
}

/** The requirements of a specialised kernel. */
export interface Needs {
  readonly workgroupSize: readonly [x: number, y: number, z: number];
  readonly workgroupBytes: number;
  /**
   * WebGPU features such as `shader-f16`, and other optional capabilities named the same way:
   * `subgroup-matrix-f32-f16-16x16x16`.
   */
  readonly features: readonly string[];
  /**
   * Threads of a subgroup, where the shader relies on them. The device has subgroups of this size, or
   * is made to where it has several. Absent: any size from 4 to 128 will do.
   */
  readonly subgroupSize?: number;
}

interface KernelBase<Values, Of> {
  /** `<op>/<name>`, for example `matmul/tiled`. */
  readonly id: string;
  readonly op: OpId;
  readonly idea: string;
  readonly dtypes: readonly Dtype[];
  readonly tunables: readonly Tunable[];
  readonly constraints: readonly Constraint<Values>[];
  /** Conditions on the problem, reported by `feasible`. Absent: it takes any problem. */
  readonly problemConstraints?: readonly ProblemConstraint<Values, Of>[];
  /** Rung on the op's ladder, which orders kernels. */
  readonly rung: number;
  /** Id of the kernel that it is a change to, as the ladder tells it; null: none; absent: the rung before. */
  readonly changes?: string | null;
  /** What its code puts each sum through before it stores it: it takes problems with this epilogue only. Absent: nothing. */
  readonly epilogue?: Epilogue;
  /** `copy`: the output is the input unchanged (a ceiling). Absent: the op's result. */
  readonly computes?: 'copy';
  /**
   * Allowed error as a multiple of the usual one for a sum of products, relative to the largest
   * row and column norms. Absent: the usual error, relative to the element's own row and column
   * (docs/measure.md).
   */
  readonly errorGrowth?: number;
  /**
   * Fraction of the op's operations that it performs; absent: all. Used only for the roofline:
   * rates always count the op's operations.
   */
  readonly flopsPart?: number;
}

/** One dispatch of a kernel. */
export interface Pass {
  readonly entryPoint: string;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

/** The work of a variant on a problem, as the tuner's model of its time counts it. */
export interface Work {
  /** Terms of each sum that a workgroup adds up, one after another; all of them unless said. */
  readonly steps: number;
  /** Workgroups that share the problem; those dispatched unless said. */
  readonly groups: number;
  /** Waves of workgroups; null, unless said: as many as the device needs. */
  readonly waves: number | null;
  /** Sums that each step adds to, where a tunable of `splitBy` changes them; 0 unless said. */
  readonly sums: number;
}

/** The rest that a shader is written for, beside values and dtype. */
export interface WrittenFor {
  /** Whether z of a workgroup counts the problems of a batch. */
  readonly batched: boolean;
  /** Null: any. */
  readonly shape: Shape | null;
  /** What its sums are put through before they are stored. */
  readonly epilogue: Epilogue | undefined;
}

/** What a kernel that is not of the catalogue was read from. */
export interface KernelFile {
  /** Whose it is: the name before the `/` of its id. */
  readonly author: string;
  readonly source: string;
  /** Absent: it is in the source. */
  readonly manifest?: string | undefined;
}

/** A kernel written in WGSL. Entry point `main`; bindings 0 = A, 1 = B or output, ..., see `wgsl`. */
export interface GpuKernel<Values = TunableValues, Of = Problem> extends KernelBase<Values, Of> {
  readonly runsOn: 'gpu';
  /** Absent: it is of the catalogue. */
  readonly file?: KernelFile;
  /** The shader body; `specialise` prepends the declarations of dtype and tunables. */
  readonly wgsl: string | ((values: Values, dtype: Dtype, written: WrittenFor) => string);
  /** Names that the shader body declares itself, so that `specialise` does not: `T`, a tunable. */
  readonly declares?: readonly string[];
  /**
   * It takes a batch, whose problems z of a workgroup counts, each of the given shape, where `wgsl` is told.
   * Absent: it takes none, and `feasible` says so.
   */
  readonly batches?: true;
  /**
   * Whether `wgsl` puts each sum through the epilogue of a problem that it is told. Absent: it does,
   * unless the kernel has an epilogue of its own.
   */
  readonly fuses?: boolean;
  /** Its lines stay where they are: what is declared for the body follows it. Absent: it goes before. */
  readonly keepsLines?: true;
  /** What it binds between its tensors and its scratch memory; absent: a uniform of the sides. */
  readonly constants?: (values: Values, problem: Of) => readonly Constants[];
  /** Tunables declared as `override`, fixed only when the pipeline is built. */
  readonly overrides?: (values: Values) => readonly string[];
  readonly needs: (values: Values, dtype: Dtype) => Needs;
  /**
   * Entry point of the shader for a problem; absent: always `main`. A kernel whose fast path does
   * not fit every shape has a second entry point for the rest.
   */
  readonly entryPoint?: (values: Values, problem: Of) => string;
  readonly workgroups: (values: Values, problem: Of) => readonly [x: number, y: number, z: number];
  /** Further dispatches, in order, for a kernel with more than one. */
  readonly followUps?: (values: Values, problem: Of) => readonly Pass[];
  /** Threads of a workgroup that share each sum along K, adding it up at the end; absent: one. */
  readonly threadsPerSum?: (values: Values) => number;
  /** Size of a buffer shared by its dispatches, bytes, bound after the shape; 0: none. */
  readonly scratchBytes?: (values: Values, problem: Of) => number;
  /**
   * Tunables that only say how the work is divided. Variants that differ in nothing else share one
   * model of their time, which `work` tells them apart.
   */
  readonly splitBy?: readonly string[];
  readonly work?: (values: Values, problem: Of) => Partial<Work>;
  /**
   * Values to try on a problem when many shapes are searched, and what `/best` chooses from where
   * nothing was measured; tunables left out have their defaults. Those that are not declared or
   * break a constraint are left out. Absent: only a search of one problem tries the kernel.
   */
  readonly candidates?: (problem: Of) => readonly TunableValues[];
}

/** A buffer whose contents are known before a kernel runs. */
export interface Constants {
  readonly type: 'uniform' | 'read-only-storage';
  /** Its first words, as u32; the rest is 0. */
  readonly words: ArrayLike<number>;
  /** Its size; absent: that of its words. */
  readonly bytes?: number;
}

/** The buffers that a kernel binds beside its tensors and its scratch memory. */
export function constantsOf(
  kernel: GpuKernel,
  values: TunableValues,
  problem: Problem,
): readonly Constants[] {
  return (
    kernel.constants?.(values, problem) ?? [
      { type: 'uniform', words: opOf(problem).sides(problem.shape) },
    ]
  );
}

/** Every dispatch of one run of a kernel, in order. */
export function passesOf(
  kernel: GpuKernel,
  values: TunableValues,
  problem: Problem,
): readonly Pass[] {
  return [
    {
      entryPoint: kernel.entryPoint?.(values, problem) ?? 'main',
      workgroups: kernel.workgroups(values, problem),
    },
    ...(kernel.followUps?.(values, problem) ?? []),
  ];
}

/** A kernel that runs on the host CPU: the baseline for speed-ups over the host. */
export interface HostKernel<Values = TunableValues, Of = Problem> extends KernelBase<Values, Of> {
  readonly runsOn: 'cpu';
  /** Threads that share the rows of the output; absent: all rows on the calling thread. */
  readonly threads?: (values: Values) => number | 'all';
  /**
   * Computes rows of `output` from `inputs` (row-major); the array type follows the problem's
   * dtype. A kernel without `threads` is always given all rows.
   */
  readonly run: (
    values: Values,
    problem: Of,
    inputs: readonly Tensor[],
    output: Tensor,
    rows: Rows,
  ) => void;
}

export type Kernel = GpuKernel | HostKernel;

/** One kernel with a value for every tunable. */
export interface Variant {
  readonly kernel: string;
  readonly tunables: TunableValues;
}

/** A kernel as its file declares it: its functions see the exact types of its values and problem. */
type Declared<Base extends object, Id extends OpId, Tunables> = Omit<
  Base,
  'id' | 'op' | 'runsOn' | 'tunables' | 'constraints' | 'needs'
> & {
  readonly id: `${Id}/${string}`;
  readonly op: Id;
  readonly tunables: Tunables;
  /** Absent: every combination of values is a variant. */
  readonly constraints?: Base extends { readonly constraints: infer C } ? C : never;
};

/**
 * Declares a GPU kernel. In its constraints, needs and workgroups, comparing a tunable with a
 * value it does not list is a type error; the registry stores the kernel with these types erased.
 */
export function gpuKernel<const Id extends OpId, const Tunables extends readonly Tunable[]>(
  kernel: Declared<GpuKernel<ValuesOf<Tunables>, Problem<Id>>, Id, Tunables> & {
    /** What is left out, it does not need. */
    readonly needs: (
      values: ValuesOf<Tunables>,
      dtype: Dtype,
    ) => Pick<Needs, 'workgroupSize'> & Partial<Needs>;
  },
): GpuKernel {
  const needs = (values: ValuesOf<Tunables>, dtype: Dtype): Needs => ({
    workgroupBytes: 0,
    features: [],
    ...kernel.needs(values, dtype),
  });
  const problemConstraints = [
    {
      reason: 'computes one product per dispatch, not a batch',
      holds: (_values: unknown, problem: Problem) =>
        kernel.batches !== undefined || !isBatch(problem),
    },
    ...(kernel.problemConstraints ?? []),
  ];
  return {
    constraints: [],
    ...kernel,
    needs,
    problemConstraints,
    runsOn: 'gpu',
  } as unknown as GpuKernel;
}

/** Declares a host kernel, as `gpuKernel` does. */
export function hostKernel<const Id extends OpId, const Tunables extends readonly Tunable[]>(
  kernel: Declared<HostKernel<ValuesOf<Tunables>, Problem<Id>>, Id, Tunables>,
): HostKernel {
  return { constraints: [], ...kernel, runsOn: 'cpu' } as unknown as HostKernel;
}

/** How many threads divide the rows of a host kernel's output. */
export const THREADS = tunable(
  'THREADS',
  'Threads that share the rows of the output; all means one per core',
  ['all', 1, 2, 4, 8, 16, 32, 64],
  'all',
);
