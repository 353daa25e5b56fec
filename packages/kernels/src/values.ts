import type { Tunable, TunableValue, TunableValues } from './kernel';

/** The value of a numeric tunable. Throws TypeError where a kernel asks for one it did not declare. */
export function numberOf(values: TunableValues, name: string): number {
  const value = values[name];
  if (typeof value !== 'number') throw new TypeError(`${name} is not a number but ${value}`);
  return value;
}

/** The default of each declared tunable. */
export function defaultsOf(tunables: readonly Tunable[]): TunableValues {
  return Object.fromEntries(tunables.map((tunable) => [tunable.name, tunable.default]));
}

/** Every combination of the values listed for each name, last name fastest. */
export function combinations(
  axes: Readonly<Record<string, readonly TunableValue[]>>,
): TunableValues[] {
  return Object.entries(axes).reduce<TunableValues[]>(
    (points, [name, values]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** Workgroups of `size` that cover `length`. */
export function ceilDiv(length: number, size: number): number {
  return Math.ceil(length / size);
}
