import { defaultsOf, type OpId, opById, type TunableValues } from '@tilemark/kernels';
import { evaluate, type Names, namesIn } from './expression';
import type { Contributed, Manifest, WrittenManifest } from './manifest';

/** `m == 1` -> `['m', '1']`. */
const EQUALITY = /^\s*([A-Za-z_]\w*)\s*==\s*([^=<>!&|]+)$/;

/** A shape with the sides that the kernel takes: equal to what it wants, or rounded up to multiples. */
export function roundedUp(
  { kernel, manifest }: Pick<Contributed, 'kernel' | 'manifest'>,
  values: TunableValues,
  shape: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const defaults = numbersOf(defaultsOf(kernel.tunables));
  const rounded = { ...shape };
  const names = () => ({ ...defaults, ...numbersOf(values), ...rounded });
  for (const [i, { that }] of manifest.requires.entries()) {
    const [, dimension = '', size = ''] = EQUALITY.exec(that) ?? [];
    if (rounded[dimension] === undefined) continue;
    rounded[dimension] = evaluate(size, names(), `manifest.requires[${i}].that`);
  }
  for (const [dimension, multipleOf] of Object.entries(manifest.multiples)) {
    const size = rounded[dimension];
    if (size === undefined) continue;
    const multiple = evaluate(multipleOf, names(), `manifest.multiples.${dimension}`);
    if (multiple > 0) rounded[dimension] = Math.ceil(size / multiple) * multiple;
  }
  return rounded;
}

/** The values that are numbers: words are of no use in an expression. */
export function numbersOf(values: TunableValues): Names {
  return Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
}

/** The names in formulas: tunables, and every dimension, counts included. */
export function namesOf(
  values: TunableValues,
  op: OpId,
  shape: Readonly<Record<string, number>>,
): Names {
  const dimensions = opById(op).dimensions.map(
    ({ name, default: count = 1 }) => [name, shape[name] ?? count] as const,
  );
  return { ...numbersOf(values), ...Object.fromEntries(dimensions) };
}

/** Constants that a manifest gives another value; null: it depends on the variant or the shape. */
export function replacedBy({
  tunables = {},
  sizes = {},
}: Pick<WrittenManifest, 'tunables' | 'sizes'>): ReadonlyMap<string, number | null> {
  const all = { ...tunables, ...sizes };
  return new Map(
    Object.entries(all).map(([name, declared]) => {
      const values =
        typeof declared !== 'object' || Array.isArray(declared) ? declared : declared.values;
      const [only, ...others] = [values].flat();
      return [name, typeof only === 'number' && others.length === 0 ? only : null];
    }),
  );
}

/** Whether a formula names a dimension. */
export const usesDimension = (op: OpId, expression: number | string) =>
  opById(op).dimensions.some(({ name }) => namesIn(expression).includes(name));

/** The requirements of a manifest on shapes: `m == 1`. */
export const requirementsOfShape = ({ op, requires }: Manifest): string[] =>
  requires.map(({ that }) => that).filter((that) => usesDimension(op, that));
