import { PROFILES, type Profile } from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  InputError,
  idsOf,
  type Kernel,
  kernelById,
  kernelsOf,
  OPS,
  type Problem,
  parseShape,
  type TunableValue,
} from '@tilemark/kernels';
import { tunablesFor } from '../flags';

export interface TuneFlags {
  readonly op?: string;
  readonly shape: string;
  readonly dtype: string;
  readonly budget: string;
  readonly profile: string;
  readonly seed: string;
  readonly kernel?: readonly string[];
  readonly tunable?: readonly string[];
}

export interface TuneRequest {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly budgetNs: number;
  readonly seed: number;
  /** Kernels to search, with the only values to try of some of their tunables. */
  readonly kernels: readonly {
    readonly kernel: Kernel;
    readonly only: Readonly<Record<string, readonly TunableValue[]>>;
  }[];
}

/** What the flags ask for with `--suite`. Throws InputError at the flag. */
export function suiteRequest(flags: TuneFlags) {
  return {
    dtype: oneOf<Dtype>('--dtype', flags.dtype, idsOf(DTYPES)),
    profile: oneOf('--profile', flags.profile, PROFILES),
    budgetNs: durationNs(flags.budget),
  };
}

/** What the flags ask for. Throws InputError at the flag. */
export function tuneRequest(flags: TuneFlags): TuneRequest {
  if (flags.op === undefined) {
    throw new InputError(`write one of ${idsOf(OPS).join(', ')}, or --suite`, '--op');
  }
  const op = oneOf('--op', flags.op, idsOf(OPS));
  const dtype = oneOf<Dtype>('--dtype', flags.dtype, idsOf(DTYPES));
  const shape = parseShape(op, flags.shape, '--shape');
  const problem = { op, shape, dtype } as Problem;
  return {
    problem,
    profile: oneOf('--profile', flags.profile, PROFILES),
    budgetNs: durationNs(flags.budget),
    seed: seedOf(flags.seed),
    kernels: kernelsFor(problem, flags),
  };
}

function kernelsFor(problem: Problem, { kernel: ids, tunable }: TuneFlags) {
  const chosen = ids?.map((id) => checkedKernel(id, problem));
  const kernels = chosen ?? kernelsOf(problem.op).filter((each) => searched(each, problem));
  return tunablesFor(kernels, tunable).map(({ kernel, tunables }) => ({ kernel, only: tunables }));
}

/**
 * Kernels that compute the op in the dtype as exactly as usual. A copy is a ceiling, not a
 * candidate; a kernel with a larger error has to be asked for by name.
 */
function searched({ dtypes, computes, errorGrowth }: Kernel, { dtype }: Problem): boolean {
  return dtypes.includes(dtype) && computes === undefined && errorGrowth === undefined;
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

const UNIT_NS: Readonly<Record<string, number>> = { s: 1e9, m: 60e9, h: 3600e9 };

/** `90s`, `5m` or `1h`. */
function durationNs(text: string): number {
  const [, value = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text.trim()) ?? [];
  const ns = Number(value) * (UNIT_NS[unit] ?? Number.NaN);
  if (ns > 0) return ns;
  throw new InputError(`'${text}' is not a duration: write 90s, 5m or 1h`, '--budget');
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (text.trim() !== '' && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
  throw new InputError(`'${text}' is not a whole number from 0 to 2147483647`, '--seed');
}

function oneOf<T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text.trim());
  if (found) return found;
  throw new InputError(`'${text}' is not one of: ${allowed.join(', ')}`, flag);
}
