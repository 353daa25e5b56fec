import { type SweepSpec, specSchema, suiteSpec } from '@tilemark/core';
import {
  InputError,
  type Kernel,
  kernelById,
  parseShape,
  parseTunableValue,
} from '@tilemark/kernels';
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
  const chosen = kernels.map((id) => kernelById(id, '--kernel'));
  const assigned = assignments('--tunable', tunable);
  for (const [name] of assigned) checkDeclared(name, chosen);
  return {
    cases: chosen.map((kernel) => {
      const tunables = assigned.flatMap(([name, values]) => {
        const declared = kernel.tunables.find((each) => each.name === name);
        if (!declared) return [];
        return [[name, list(values).map((value) => parseTunableValue(declared, value))] as const];
      });
      return {
        kernel: kernel.id,
        tunables: Object.fromEntries(tunables),
        shapes: list(shape).map((text) => parseShape(kernel.op, text, '--shape')),
        dtypes: list(dtype),
      };
    }),
  };
}

/** A tunable goes to the kernels that have it; one that none has is a mistake. */
function checkDeclared(name: string, kernels: readonly Kernel[]): void {
  const declared = kernels.flatMap(({ tunables }) => tunables.map((each) => each.name));
  if (declared.includes(name)) return;
  throw new InputError(
    `${kernels.map(({ id }) => id).join(', ')} has no tunable ${name}; there are: ${[...new Set(declared)].join(', ') || 'none'}`,
    '--tunable',
  );
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
