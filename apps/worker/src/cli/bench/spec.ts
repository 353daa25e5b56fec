import { parseShapes, type SweepSpec, specSchema, suiteSpec } from '@tilemark/core';
import { InputError, kernelById } from '@tilemark/kernels';
import { z } from 'zod';
import { assignment, dtypeFor, list, tunablesFor } from '../flags';

export interface BenchFlags {
  readonly suite?: string;
  readonly param?: readonly string[];
  readonly kernel?: readonly string[];
  readonly tunable?: readonly string[];
  readonly shape?: string;
  readonly dtype?: string;
  readonly profile?: string;
  readonly policy?: string;
  readonly epilogue?: string;
}

/** The sweep that the flags ask for: the `starter` suite without any. Throws InputError at the flag. */
export function benchSpec(flags: BenchFlags): SweepSpec {
  const { epilogue, profile, policy } = flags;
  try {
    const base = flags.kernel ? kernelsSpec(flags.kernel, flags) : suiteSpecOf(flags);
    return checked({
      ...base,
      ...(profile !== undefined && { profiles: list(profile) }),
      ...(policy !== undefined && { policy }),
      ...(epilogue !== undefined && { epilogue }),
    });
  } catch (error) {
    if (error instanceof InputError) throw new InputError(error.message, flagOf(error.field));
    throw error;
  }
}

/** Fields of a sweep by the flags that they are read from. */
const FLAGS = {
  '--suite': 'suite',
  '--shape': 'shapes',
  '--dtype': 'dtypes',
  '--profile': 'profiles',
  '--epilogue': 'epilogue',
} as const;

/** `cases.0.dtypes.0` -> `--dtype`, `params.n` -> `--param n`. */
function flagOf(field: string): string {
  const path = field.split('.');
  if (path[0] === 'params') return `--param ${path[1]}`;
  return Object.entries(FLAGS).find(([, name]) => path.includes(name))?.[0] ?? field;
}

function suiteSpecOf({ suite = 'starter', param = [], tunable, shape, dtype }: BenchFlags) {
  for (const [flag, value] of Object.entries({ tunable, shape, dtype })) {
    if (value === undefined) continue;
    throw new InputError('needs --kernel; a suite takes --param NAME=VALUE', `--${flag}`);
  }
  const params = param.map((text) => {
    const [name, value] = assignment('--param', text);
    return [name, Number(value)] as const;
  });
  return suiteSpec(suite, Object.fromEntries(params));
}

function kernelsSpec(kernels: readonly string[], flags: BenchFlags): object {
  const { suite, param, tunable, shape = '512', dtype } = flags;
  for (const [flag, value] of Object.entries({ suite, param })) {
    if (value !== undefined) throw new InputError('cannot be combined with --kernel', `--${flag}`);
  }
  const chosen = kernels.map((id) => kernelById(id, '--kernel'));
  return {
    cases: tunablesFor(chosen, tunable).map(({ kernel, tunables }) => ({
      kernel: kernel.id,
      tunables,
      shapes: parseShapes(kernel.op, shape, '--shape'),
      dtypes: list(dtype ?? dtypeFor([kernel])),
    })),
  };
}

function checked(input: unknown): SweepSpec {
  const result = specSchema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InputError(
    issue?.message ?? z.prettifyError(result.error),
    issue?.path.join('.') ?? '',
  );
}
