import { InputError } from './errors';
import type { Kernel, Tunable, TunableValue, TunableValues, Variant } from './kernel';
import { KERNELS, kernelById } from './registry';

/** A variant with its kernel looked up and every tunable set, in declaration order. */
export interface ResolvedVariant extends Variant {
  readonly definition: Kernel;
  /** Canonical address, see `variantAddress`. */
  readonly address: string;
}

/**
 * Looks the kernel up, fills in defaults and checks every value. A combination that breaks a
 * constraint still has an address: `feasible` says why it cannot run. Throws InputError at the
 * field, with `path` before it: `tunables.TILE`.
 */
export function resolveVariant(
  kernel: string,
  tunables: TunableValues = {},
  path = '',
): ResolvedVariant {
  const field = (name: string) => (path ? `${path}.${name}` : name);
  const definition = kernelById(kernel, field('kernel'));
  for (const name of Object.keys(tunables)) {
    if (definition.tunables.some((tunable) => tunable.name === name)) continue;
    const names = definition.tunables.map((tunable) => tunable.name).join(', ') || 'none';
    throw new InputError(
      `${kernel} has no tunable ${name}. Its tunables: ${names}.`,
      field(`tunables.${name}`),
    );
  }
  const values: Record<string, TunableValue> = {};
  for (const tunable of definition.tunables) {
    const value = tunables[tunable.name] ?? tunable.default;
    if (!tunable.values.includes(value)) {
      throw new InputError(
        `${tunable.name} of ${kernel} cannot be ${value}. Allowed values: ${tunable.values.join(', ')}.`,
        field(`tunables.${tunable.name}`),
      );
    }
    values[tunable.name] = value;
  }
  return { kernel, tunables: values, definition, address: addressText(kernel, values) };
}

/** What is sent and stored of a variant, without what else is known of it. */
export const bareVariant = ({ kernel, tunables }: Variant): Variant => ({ kernel, tunables });

/** Canonical address: every tunable in declaration order, `matmul/naive[BLOCK=16,MAPPING=col-x]`. */
export function variantAddress(variant: Variant): string {
  return resolveVariant(variant.kernel, variant.tunables).address;
}

/** The kernel in a variant's address. */
export const kernelOf = (address: string): string => address.replace(/\[.*/, '');

/**
 * An address without the tunables at their defaults: still an address of the same variant, and
 * short enough for a table. That of a kernel which is gone stays as it is.
 *
 * @param kept tunables that are named in any case
 */
export function shortAddress(address: string, kept: ReadonlySet<string> = new Set()): string {
  const [, id, list] = /^([^[]*)\[(.*)\]$/.exec(address) ?? [];
  const kernel = KERNELS.find((candidate) => candidate.id === id);
  if (!kernel || list === undefined) return address;
  const defaults = new Set(
    kernel.tunables.flatMap((tunable) =>
      kept.has(tunable.name) ? [] : `${tunable.name}=${tunable.default}`,
    ),
  );
  const chosen = list.split(',').filter((part) => !defaults.has(part));
  return chosen.length > 0 ? `${id}[${chosen.join(',')}]` : kernel.id;
}

/** Parses an address; tunables left out take their defaults. Throws InputError. */
export function parseVariant(address: string): ResolvedVariant {
  const match = /^([a-z0-9/@-]+)(?:\[([^[\]]*)\])?$/.exec(address.trim());
  if (!match?.[1]) {
    throw new InputError(`'${address}' is not a variant: write kernel[NAME=value,...].`, 'variant');
  }
  const kernel = match[1];
  const declared = kernelById(kernel, 'kernel').tunables;
  const tunables: Record<string, TunableValue> = {};
  for (const part of (match[2] ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [name = '', value] = part.split('=').map((text) => text.trim());
    if (value === undefined) {
      throw new InputError(`'${part}' in '${address}' must be NAME=value.`, `tunables.${name}`);
    }
    tunables[name] = parseTunableValue(
      declared.find((tunable) => tunable.name === name),
      value,
    );
  }
  return resolveVariant(kernel, tunables);
}

/** The declared value written as `text`; unknown text is returned as is, for the check to report. */
export function parseTunableValue(tunable: Tunable | undefined, text: string): TunableValue {
  return tunable?.values.find((value) => String(value) === text) ?? text;
}

function addressText(kernel: string, values: TunableValues): string {
  const list = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return list.length > 0 ? `${kernel}[${list.join(',')}]` : kernel;
}

export function defaultsOf(tunables: readonly Tunable[]): TunableValues {
  return Object.fromEntries(tunables.map((tunable) => [tunable.name, tunable.default]));
}
