import { PROFILES, type Profile } from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  InputError,
  type Kernel,
  kernelById,
  kernelsOf,
  OPS,
  type OpId,
  type Problem,
  parseShape,
  parseTunableValue,
  type TunableValue,
} from '@tilemark/kernels';

/** The flags of `tilemark tune`, as typed. */
export interface TuneFlags {
  readonly op: string;
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
  /** Kernels to search, with the values to keep to of some of their tunables. */
  readonly kernels: readonly {
    readonly kernel: Kernel;
    readonly only: Readonly<Record<string, readonly TunableValue[]>>;
  }[];
}

/** What flags ask for. Throws InputError at the flag. */
export function tuneRequest(flags: TuneFlags): TuneRequest {
  const op = oneOf('--op', flags.op, OPS.map(({ id }) => id) as OpId[]);
  const dtype = oneOf<Dtype>('--dtype', flags.dtype, DTYPES);
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

function kernelsFor(problem: Problem, { kernel: ids, tunable = [] }: TuneFlags) {
  const chosen = ids?.map((id) => checkedKernel(id, problem));
  const kernels = chosen ?? kernelsOf(problem.op).filter((each) => searched(each, problem));
  const wanted = tunable.map(assignment);
  for (const { name } of wanted) {
    if (kernels.some(({ tunables }) => tunables.some((each) => each.name === name))) continue;
    const names = new Set(kernels.flatMap(({ tunables }) => tunables.map((each) => each.name)));
    throw new InputError(`no kernel has ${name}; there are: ${[...names].join(', ')}`, '--tunable');
  }
  return kernels.map((kernel) => {
    const own = wanted.flatMap(({ name, texts }) => {
      const declared = kernel.tunables.find((each) => each.name === name);
      if (!declared) return [];
      const values = texts.map((text) => parseTunableValue(declared, text));
      const unknown = values.find((value) => !declared.values.includes(value));
      if (unknown === undefined) return [[name, values] as const];
      throw new InputError(
        `${name} of ${kernel.id} cannot be ${unknown}; it takes: ${declared.values.join(', ')}`,
        '--tunable',
      );
    });
    return { kernel, only: Object.fromEntries(own) };
  });
}

/**
 * What computes the op in the dtype as exactly as others do. A copy is a ceiling, not a
 * candidate; whoever can live with a larger error asks for its kernel by name.
 */
function searched({ dtypes, computes, errorGrowth }: Kernel, { dtype }: Problem): boolean {
  return dtypes.includes(dtype) && computes === undefined && errorGrowth === undefined;
}

function checkedKernel(id: string, { op, dtype }: Problem): Kernel {
  const kernel = kernelById(id, '--kernel');
  if (kernel.op !== op) throw new InputError(`${id} computes ${kernel.op}, not ${op}`, '--kernel');
  if (kernel.dtypes.includes(dtype)) return kernel;
  throw new InputError(`${id} has no ${dtype}; it has: ${kernel.dtypes.join(', ')}`, '--dtype');
}

const UNIT_NS: Readonly<Record<string, number>> = { s: 1e9, m: 60e9, h: 3600e9 };

/** `90s`, `5m` or `1h`. */
function durationNs(text: string): number {
  const [, value = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text.trim()) ?? [];
  const ns = Number(value) * (UNIT_NS[unit] ?? Number.NaN);
  if (ns > 0) return ns;
  throw new InputError(`'${text}' is no length of time: write 90s, 5m or 1h`, '--budget');
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (text.trim() !== '' && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
  throw new InputError(`'${text}' is not a whole number below 2^31`, '--seed');
}

/** `TILE=8,16` -> its name and values. */
function assignment(text: string) {
  const [, name, values] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(\S.*)$/.exec(text) ?? [];
  if (!name || !values) throw new InputError(`'${text}' is not NAME=VALUE,VALUE`, '--tunable');
  return { name, texts: values.split(',').map((value) => value.trim()) };
}

function oneOf<T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text.trim());
  if (found) return found;
  throw new InputError(`'${text}' is not one of: ${allowed.join(', ')}`, flag);
}
