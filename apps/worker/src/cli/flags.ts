/** What flags of several commands have in common: lists, assignments, tunables and files. */
import { readFile } from 'node:fs/promises';
import { FAMILIES, type Family, familyById, messageOf, seedSchema } from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  dtypeMeant,
  type Epilogue,
  faultOf,
  InputError,
  idsOf,
  type Kernel,
  type OpId,
  type Problem,
  parseShape,
  parseTunableValue,
  REGIMES,
  type Regime,
  regimeIn,
  type TunableValue,
} from '@tilemark/kernels';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { Account } from '../child/device-process';

/** The result of work on a file that a flag names. Throws InputError at the flag if it fails. */
export const atFlag = <T>(flag: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    const what = isMissing(error) ? `there is no file '${error.path}'` : messageOf(error);
    throw new InputError(what, flag);
  });

const isMissing = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';

/** The text of a file; null if there is none. Throws InputError at the flag that names it. */
export const readIfThere = (flag: string, path: string): Promise<string | null> =>
  atFlag(
    flag,
    readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    }),
  );

/** The content of a JSON file; null if there is none. Throws InputError at the flag that names it. */
export async function parseIfThere<T>(
  flag: string,
  path: string,
  schema: z.ZodType<T>,
  what: string,
): Promise<T | null> {
  const text = await readIfThere(flag, path);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new InputError(`${path} is not a file of ${what}: choose another`, flag);
  }
}

/** The value of `--seed`. */
export function seedOf(text: string): number {
  const { success, data } = seedSchema.safeParse(Number(text.trim() || Number.NaN));
  if (success) return data;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
}

/** The value of `--duels`. */
export function duelsOf(text: string): number {
  const duels = Number(text);
  if (Number.isInteger(duels) && duels >= LEAST_DUELS && duels <= MOST_DUELS) return duels;
  throw new InvalidArgumentError(`It must be a whole number from ${LEAST_DUELS} to ${MOST_DUELS}.`);
}

/** A single one does not tell what differs between processes. */
const LEAST_DUELS = 2;
const MOST_DUELS = 50;

/** The value of `--contributed-as`: a user by its numbers. */
export function accountOf(text: string): Account {
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (uid !== undefined && process.getuid?.() === 0) return { uid: Number(uid), gid: Number(gid) };
  throw new InvalidArgumentError('It must be UID:GID, and root must start the worker.');
}

/** The family of shapes that `--suite` names. */
export function familyOf(name: string): Family {
  const family = familyById(name);
  if (family) return family;
  const ids = FAMILIES.map(({ id }) => id).join(', ');
  throw new InvalidArgumentError(`Allowed choices are ${ids}.`);
}

const UNIT_NS: Readonly<Record<string, number>> = { s: 1e9, m: 60e9, h: 3600e9 };

/** `90s`, `5m` or `1h`. */
export function durationNs(text: string): number {
  const [, value = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text.trim()) ?? [];
  const ns = Number(value) * (UNIT_NS[unit] ?? Number.NaN);
  if (ns > 0) return ns;
  throw new InvalidArgumentError('It must be a duration: write 90s, 5m or 1h.');
}

/** Parses a list, of which all count where its flag is repeated. @param initial where it is not given */
export const listed =
  (initial?: string) =>
  (text: string, before?: string): string =>
    before === initial ? text : `${before};${text}`;

/** `8, 16` -> `['8', '16']`. */
export const list = (text: string): string[] => text.split(/[,;]/).map((part) => part.trim());

/** A dtype. Throws InvalidArgumentError, with the one that is meant where a name of other programs is given. */
export function dtypeOf(text: string): Dtype {
  const meant = dtypeMeant(text);
  if (meant === text) return meant;
  const known = idsOf(DTYPES).join(', ');
  throw new InvalidArgumentError(
    meant ? `Did you mean ${meant}?` : `Allowed choices are ${known}.`,
  );
}

/** A regime. Throws InvalidArgumentError. */
export function regimeOf(text: string): Regime {
  const regime = regimeIn(text);
  if (regime) return regime;
  throw new InvalidArgumentError(
    `Allowed choices are ${idsOf(REGIMES).join(', ')}, large:N, outliers:N.`,
  );
}

/** `N=64` -> `['N', '64']`. Throws InputError at the flag. */
export function assignment(flag: string, text: string): [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s]+)\s*=\s*(\S.*)$/.exec(text) ?? [];
  if (name && value) return [name, value.trim()];
  throw new InputError(`'${text}' is not NAME=VALUE`, flag);
}

/** The flags of a problem and its inputs. */
export interface ProblemFlags {
  readonly shape: string;
  /** Absent: that of the kernels. */
  readonly dtype?: Dtype;
  readonly epilogue?: Epilogue;
}

/** The dtype that kernels run in where none is asked for: f32, or what one of them takes instead. */
export const dtypeFor = (kernels: readonly Pick<Kernel, 'dtypes'>[]): Dtype =>
  kernels.find(({ dtypes }) => !dtypes.includes('f32'))?.dtypes[0] ?? 'f32';

/** The flags of a problem's fields; the others are dimensions. */
const PROBLEM_FLAGS: Readonly<Record<string, string>> = {
  dtype: '--dtype',
  epilogue: '--epilogue',
};

/**
 * The problem that the flags ask for. Throws InputError at the flag.
 *
 * @param kernels those that compute it: the epilogue of one that has one, unless another is asked for
 */
export function problemOf(op: OpId, flags: ProblemFlags, kernels: readonly Kernel[]): Problem {
  const { dtype = dtypeFor(kernels), epilogue: asked } = flags;
  const shape = parseShape(op, flags.shape, '--shape');
  const epilogue = asked ?? kernels.find((kernel) => kernel.epilogue)?.epilogue;
  const fault = faultOf(op, shape, dtype, { epilogue });
  if (fault) throw new InputError(fault.reason, PROBLEM_FLAGS[fault.field] ?? '--shape');
  return { op, shape, dtype, ...(epilogue && { epilogue }) } as Problem;
}

/** The values of `--tunable` by name: `A=1,2` is two values of A, `A=1,B=2` one each of A and B. */
function tunableTexts(flags: readonly string[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const flag of flags) {
    // A comma before another NAME= ends the values of the one before.
    for (const part of flag.split(/,(?=[^,=]*=)/)) {
      const [name, values] = assignment('--tunable', part);
      texts.set(name, [...(texts.get(name) ?? []), ...list(values)]);
    }
  }
  return texts;
}

/**
 * The tunables of each kernel by `--tunable`: a tunable goes to the kernels that declare it. Throws
 * InputError for a name that none of them declares and a value that a kernel does not.
 */
export function tunablesFor<K extends Kernel>(
  kernels: readonly K[],
  flags: readonly string[] = [],
): { kernel: K; tunables: Record<string, TunableValue[]> }[] {
  const texts = tunableTexts(flags);
  const declared = new Set(kernels.flatMap(({ tunables }) => tunables.map(({ name }) => name)));
  for (const name of texts.keys()) {
    if (declared.has(name)) continue;
    const kernelIds = kernels.map(({ id }) => id).join(', ');
    const names = [...declared].join(', ') || 'none';
    throw new InputError(`no tunable ${name} in ${kernelIds}. Tunables: ${names}`, '--tunable');
  }
  return kernels.map((kernel) => {
    const chosen = kernel.tunables.flatMap((tunable) => {
      const values = texts.get(tunable.name)?.map((text) => parseTunableValue(tunable, text));
      const unknown = values?.find((value) => !tunable.values.includes(value));
      if (unknown === undefined) return values ? [[tunable.name, values] as const] : [];
      throw new InputError(
        `${tunable.name} of ${kernel.id} cannot be ${unknown}. Allowed values: ${tunable.values.join(', ')}`,
        '--tunable',
      );
    });
    return { kernel, tunables: Object.fromEntries(chosen) };
  });
}
