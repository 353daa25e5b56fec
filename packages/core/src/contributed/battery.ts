import {
  type Dtype,
  defaultsOf,
  faultOf,
  opById,
  type Problem,
  type Shape,
  type Tunable,
  type TunableValue,
  type TunableValues,
  type Variant,
} from '@tilemark/kernels';
import type { Contributed } from './manifest';
import { roundedUp } from './names';

/**
 * What every contributed kernel is checked on: shapes that kernels get wrong, and tunables two by two.
 * `check` runs it on this machine; a grid runs it before a version may be published.
 */

/**
 * Sizes m, n, k: an ordinary one, which tells whether it compiles; those that no tile divides; of one row, column, or step; odd numbers of stages of 8 and 16, and of
 * blocks of 16 rows; multiples of 4 along n and k alone; long ones; more rows than 2,048, and more workgroups
 * of 64 threads than fit along x. Where a kernel takes multiples, each is rounded up: odd multiples, too.
 */
const SIZES = sizesIn(
  `64x64x64 1x1x1 17x31x5 1x127x33 129x1x64 33x65x127 100x3x300 256x16x1 130x258x66 128x256x192
  1031x5x9 7x1100x5 48x112x24 112x48x48 36x64x40 100x96x48 80x64x104 3x41x4100 2100x2000x3`,
);

/** Rows and columns: of a transpose. */
const PLANES = sizesIn(
  `64x64 1x1 17x31 1x127 129x1 33x65 256x16 130x258
  1031x5 7x1100 36x100 36x64 100x100 100x96 2100x20 2100x2000`,
);

/** Of batches, where a kernel takes them. */
const BATCHES = sizesIn('3x17x31x5 2x64x128x96 5x33x20x24');

/** Other variants than the default run on the first of these that they take. */
const TUNED = sizesIn('130x258x66 128x256x192 512x512x512');

function sizesIn(text: string): readonly (readonly number[])[] {
  return text.split(/\s+/).map((sizes) => sizes.split('x').map(Number));
}

/** Variants beside the default: fewer than a sweep may have. */
const MOST_VARIANTS = 48;

type Read = Pick<Contributed, 'kernel' | 'manifest'>;

export type OnlyValues = Readonly<Record<string, readonly TunableValue[]>>;

/** @param only the values to try of some tunables; the first is their default */
export function batteryOf(contributed: Read, only: OnlyValues = {}): [Variant, Problem][] {
  const { kernel, manifest } = contributed;
  const { op, dtypes, epilogue } = kernel;
  const tunables = kernel.tunables.map((tunable) => {
    const values = only[tunable.name] ?? tunable.values;
    return { ...tunable, values, default: only[tunable.name]?.[0] ?? tunable.default };
  });
  const [initial = {}, ...others] = pairwise(tunables, (values) =>
    kernel.constraints.every(({ holds }) => holds(values)),
  );
  const [first = 'f32'] = dtypes;
  const problemOf = (values: TunableValues, sizes: readonly number[], dtype: Dtype) => {
    const shape = takenShape(contributed, values, dtype, opById(op).shape(sizes) as Shape);
    return { op, shape, dtype, ...(epilogue && { epilogue }) } as Problem;
  };
  const dimensions = opById(op).dimensions.filter((dimension) => dimension.default === undefined);
  const plain = dimensions.length === 2 ? PLANES : SIZES;
  const sizes = [...plain, ...(manifest.batches ? BATCHES : [])];
  const cases = [
    ...dtypes.flatMap((dtype) => sizes.map((those) => [initial, problemOf(initial, those, dtype)])),
    ...others.map((values) => {
      const problems = TUNED.map((those) => problemOf(values, those, first));
      const takes = (problem: Problem) =>
        (kernel.problemConstraints ?? []).every(({ holds }) => holds(values, problem));
      return [values, problems.find(takes) ?? problems[0]];
    }),
  ] as [TunableValues, Problem][];
  const once = new Map(cases.map((each) => [JSON.stringify(each), each]));
  return [...once.values()].map(([values, problem]) => [
    { kernel: kernel.id, tunables: values },
    problem,
  ]);
}

/** A shape with the sides that a kernel takes, in whole blocks of its dtype. */
export function takenShape(
  contributed: Read,
  values: TunableValues,
  dtype: Dtype,
  given: Shape,
): Shape {
  const { op } = contributed.kernel;
  const shape = roundedUp(contributed, values, given) as Shape;
  const { field = '', multiple } = faultOf(op, shape, dtype) ?? {};
  if (multiple === undefined) return shape;
  const size = Math.ceil(Number(Reflect.get(shape, field)) / multiple) * multiple;
  return roundedUp(contributed, values, { ...shape, [field]: size }) as Shape;
}

/** The battery as a sweep, for devices of a grid. */
export function batterySweep(contributed: Read, devices: readonly string[]) {
  const { id, epilogue } = contributed.kernel;
  const groups = new Map<string, { variant: Variant; problems: Problem[] }>();
  for (const [variant, problem] of batteryOf(contributed)) {
    const key = JSON.stringify([variant.tunables, problem.dtype]);
    const group = groups.get(key) ?? { variant, problems: [] };
    groups.set(key, group);
    group.problems.push(problem);
  }
  return {
    name: `Check of ${id}`.slice(0, 120),
    spec: {
      cases: [...groups.values()].map(({ problems, variant }) => ({
        kernel: id,
        tunables: Object.fromEntries(
          Object.entries(variant.tunables).map(([name, value]) => [name, [value]]),
        ),
        shapes: problems.map(({ shape }) => shape),
        dtypes: problems.slice(0, 1).map(({ dtype }) => dtype),
      })),
      profiles: ['default' as const],
      policy: 'smoke' as const,
      devices: [...devices],
      ...(epilogue && { epilogue }),
    },
  };
}

/** The defaults, then variants that have every two values of two tunables together, as far as they may be. */
function pairwise(
  tunables: readonly Tunable[],
  isAllowed: (values: TunableValues) => boolean,
): TunableValues[] {
  const defaults = defaultsOf(tunables);
  const chosen = [defaults];
  const met = new Set(pairsOf(defaults));
  for (const [at, a] of tunables.entries()) {
    for (const b of tunables.slice(tunables.length === 1 ? 0 : at + 1)) {
      for (const pair of a.values.flatMap((x) => b.values.map((y) => [x, y] as const))) {
        const wanted = { [a.name]: pair[0], [b.name]: pair[1] };
        if (chosen.length > MOST_VARIANTS) return chosen;
        if (pairsOf({ ...wanted }).every((each) => met.has(each))) continue;
        const values = [filledUp(wanted, tunables, met), { ...defaults, ...wanted }].find(
          isAllowed,
        );
        if (!values) continue;
        chosen.push(values);
        for (const each of pairsOf(values)) met.add(each);
      }
    }
  }
  return chosen;
}

/** With the values of other tunables that meet most of those so far for the first time. */
function filledUp(
  wanted: TunableValues,
  tunables: readonly Tunable[],
  met: ReadonlySet<string>,
): TunableValues {
  let values = wanted;
  for (const { name, values: choices } of tunables) {
    if (name in values) continue;
    const gain = (value: TunableValue) =>
      pairsOf({ ...values, [name]: value }).filter((pair) => !met.has(pair)).length;
    const best = choices.reduce((a, b) => (gain(b) > gain(a) ? b : a));
    values = { ...values, [name]: best };
  }
  return values;
}

/** Each value by itself, and with each other. */
function pairsOf(values: TunableValues): string[] {
  const settings = Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return settings.flatMap((setting, at) => [
    setting,
    ...settings.slice(at + 1).map((other) => `${setting} ${other}`),
  ]);
}
