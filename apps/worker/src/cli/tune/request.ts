import { type Profile, type Searched, searchedKernels } from '@tilemark/core';
import {
  InputError,
  idsOf,
  type Kernel,
  kernelById,
  OPS,
  type OpId,
  type Problem,
} from '@tilemark/kernels';
import { type ProblemFlags, problemOf, tunablesFor } from '../flags';
import type { GridOptions } from '../grid/client';

export interface TuneFlags extends ProblemFlags {
  readonly op?: OpId;
  /** ns. */
  readonly budget: number;
  readonly profile: Profile;
  readonly seed: number;
  readonly kernel?: readonly string[];
  readonly tunable?: readonly string[];
  /** Files of kernels, instead of ours or beside those of `kernel`. */
  readonly wgsl?: readonly string[];
}

export interface TuneRequest {
  readonly problem: Problem;
  readonly kernels: readonly Searched[];
}

/** The problem and the kernels that the flags ask for. Throws InputError at the flag. */
export function tuneRequest(flags: TuneFlags): TuneRequest {
  const [first] = flags.kernel ?? [];
  const op = flags.op ?? (first === undefined ? undefined : kernelById(first, '--kernel').op);
  if (op === undefined) {
    throw new InputError(
      `write one of ${idsOf(OPS).join(', ')}, or --suite, --kernel or --wgsl`,
      '--op',
    );
  }
  const kernels = (flags.kernel ?? []).map((id) => kernelById(id, '--kernel'));
  const problem = problemOf(op, flags, kernels);
  return { problem, kernels: kernelsFor(problem, flags) };
}

/** The command that repeats a search, without its output files. */
export function commandLine(flags: TuneFlags & Partial<GridOptions>): string {
  const { budget, dtype, epilogue, kernel, op, profile, seed, server, shape, tunable, wgsl } =
    flags;
  return [
    'tilemark tune',
    ...(op ? [`--op ${op}`] : []),
    `--shape ${shape} ${dtype ? `--dtype ${dtype} ` : ''}--budget ${budget / 1e9}s`,
    `--profile ${profile} --seed ${seed}`,
    ...(epilogue ? [`--epilogue ${epilogue}`] : []),
    ...(kernel ? [`--kernel ${kernel.join(' ')}`] : []),
    ...(wgsl ? [`--wgsl ${wgsl.join(' ')}`] : []),
    ...(tunable ? [`--tunable ${tunable.join(' ')}`] : []),
    ...(server ? [`--server ${server}`] : []),
  ].join(' ');
}

function kernelsFor(problem: Problem, { kernel: ids, tunable }: TuneFlags) {
  const chosen = ids?.map((id) => checkedKernel(id, problem));
  const kernels = chosen ?? searchedKernels(problem);
  return tunablesFor(kernels, tunable).map(({ kernel, tunables }) => ({ kernel, only: tunables }));
}

function checkedKernel(id: string, { op, dtype }: Problem): Kernel {
  const kernel = kernelById(id, '--kernel');
  if (kernel.op !== op) throw new InputError(`${id} computes ${kernel.op}, not ${op}`, '--kernel');
  if (kernel.dtypes.includes(dtype)) return kernel;
  throw new InputError(
    `${id} does not support ${dtype}; it supports: ${kernel.dtypes.join(', ')}`,
    '--dtype',
  );
}
