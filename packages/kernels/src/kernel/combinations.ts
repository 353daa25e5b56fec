import type { TunableValue, TunableValues } from './kernel';

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

/** A table of values: a row each, by the names of its columns. */
export const valuesTable = ({
  names,
  rows,
}: {
  readonly names: readonly string[];
  readonly rows: readonly (readonly TunableValue[])[];
}): TunableValues[] =>
  rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] as TunableValue])));
