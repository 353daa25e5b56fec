import { InputError } from '../errors';
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
  return {
    kernel,
    tunables: values,
    definition,
    address: addressText(kernel, Object.entries(values)),
  };
}

/** A variant as it is sent and stored, without what follows from it. */
export const bareVariant = ({ kernel, tunables }: Variant): Variant => ({ kernel, tunables });

/** Canonical address: every tunable in declaration order, `matmul/naive[BLOCK=16,MAPPING=col-x]`. */
export function variantAddress(variant: Variant): string {
  return resolveVariant(variant.kernel, variant.tunables).address;
}

/** An address cut into the id of its kernel and what its brackets say, valid or not. Only this cuts one. */
export function addressParts(address: string): {
  readonly kernel: string;
  readonly settings: readonly (readonly [name: string, value: string | undefined])[];
} {
  const [, kernel = address, list = ''] = /^([^[\]]*)\[([^[\]]*)\]$/.exec(address.trim()) ?? [];
  const settings = list.split(',').filter((text) => text.trim() !== '');
  return {
    kernel,
    settings: settings.map((text) => {
      const [name = '', value] = text.split('=').map((part) => part.trim());
      return [name, value];
    }),
  };
}

/** The kernel in an address, valid or not. */
export const kernelOf = (address: string): string => addressParts(address).kernel;

/**
 * An address without the tunables at their defaults: still an address of the same variant, and
 * short enough for a table. That of a kernel which is gone stays as it is.
 *
 * @param kept tunables that are named in any case
 */
export function shortAddress(address: string, kept: ReadonlySet<string> = new Set()): string {
  const { kernel: id, settings } = addressParts(address);
  const kernel = KERNELS.find((candidate) => candidate.id === id);
  if (!kernel) return address;
  const defaults = defaultsOf(kernel.tunables);
  const chosen = settings.filter(
    ([name, value]) => kept.has(name) || String(defaults[name]) !== value,
  );
  return addressText(id, chosen);
}

/** Parses an address; tunables left out take their defaults. Throws InputError. */
export function parseVariant(address: string): ResolvedVariant {
  const { kernel, settings } = addressParts(address.trim());
  if (!/^[a-z0-9/@-]+$/.test(kernel)) {
    throw new InputError(`'${address}' is not a variant: write kernel[NAME=value,...].`, 'variant');
  }
  const declared = kernelById(kernel, 'kernel').tunables;
  const tunables: Record<string, TunableValue> = {};
  for (const [name, value] of settings) {
    if (value === undefined) {
      throw new InputError(`'${name}' in '${address}' must be NAME=value.`, `tunables.${name}`);
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

/** An address of these settings, in their order. */
export function addressText(
  kernel: string,
  settings: readonly (readonly [name: string, value: TunableValue | undefined])[],
): string {
  const list = settings.map(([name, value]) => `${name}=${value}`);
  return list.length > 0 ? `${kernel}[${list.join(',')}]` : kernel;
}

export function defaultsOf(tunables: readonly Tunable[]): TunableValues {
  return Object.fromEntries(tunables.map((tunable) => [tunable.name, tunable.default]));
}
