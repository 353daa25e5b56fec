import { type SweepSpec, specSchema, suiteSpec } from '@tilemark/core';
import { InputError, kernelById, parseShape, parseTunableValue } from '@tilemark/kernels';
import { z } from 'zod';

/** The flags of `tilemark bench`, as typed. */
export interface BenchFlags {
  readonly suite?: string;
  readonly param?: readonly string[];
  readonly kernel?: readonly string[];
  readonly tunable?: readonly string[];
  readonly shape?: string;
  readonly dtype?: string;
  readonly profile?: string;
  readonly policy?: string;
}

/** The sweep that flags ask for; without any, the `starter` suite. Throws InputError at the flag. */
export function benchSpec(flags: BenchFlags): SweepSpec {
  const base = flags.kernel ? kernelsSpec(flags.kernel, flags) : suiteSpecOf(flags);
  const { profile, policy } = flags;
  return checked({
    ...base,
    ...(profile !== undefined && { profiles: list(profile) }),
    ...(policy !== undefined && { policy }),
  });
}

function suiteSpecOf({ suite = 'starter', param = [], tunable, shape, dtype }: BenchFlags) {
  for (const [flag, value] of Object.entries({ tunable, shape, dtype })) {
    if (value === undefined) continue;
    throw new InputError('belongs to --kernel; a suite has --param NAME=VALUE', `--${flag}`);
  }
  const params = assignments('--param', param).map(([name, values]) => {
    const value = Number(values);
    return [name, value] as const;
  });
  return suiteSpec(suite, Object.fromEntries(params));
}

function kernelsSpec(kernels: readonly string[], flags: BenchFlags): object {
  const { suite, param, tunable = [], shape = '512', dtype = 'f32' } = flags;
  for (const [flag, value] of Object.entries({ suite, param })) {
    if (value !== undefined) throw new InputError('cannot be combined with --kernel', `--${flag}`);
  }
  return {
    cases: kernels.map((id) => {
      const kernel = kernelById(id, '--kernel');
      const tunables = assignments('--tunable', tunable).map(([name, values]) => {
        const declared = kernel.tunables.find((each) => each.name === name);
        return [name, list(values).map((value) => parseTunableValue(declared, value))] as const;
      });
      return {
        kernel: id,
        tunables: Object.fromEntries(tunables),
        shapes: list(shape).map((text) => parseShape(kernel.op, text, '--shape')),
        dtypes: list(dtype),
      };
    }),
  };
}

/** `TILE=8,16` -> `['TILE', '8,16']`. */
function assignments(flag: string, texts: readonly string[]): [name: string, values: string][] {
  return texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) {
      throw new InputError(`'${text}' is not NAME=VALUE`, flag);
    }
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
}

function list(text: string): string[] {
  return text.split(',').map((part) => part.trim());
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
