import type { Tunable, TunableValue, TunableValues } from './kernel';

export function defaultsOf(tunables: readonly Tunable[]): TunableValues {
  return Object.fromEntries(tunables.map((tunable) => [tunable.name, tunable.default]));
}

/** Every combination of the values listed for each name; the last name varies fastest. */
export function combinations(
  axes: Readonly<Record<string, readonly TunableValue[]>>,
): TunableValues[] {
  return Object.entries(axes).reduce<TunableValues[]>(
    (points, [name, values]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}
