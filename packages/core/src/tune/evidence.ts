import { type Problem, parseProblem, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { z } from 'zod';
import { type Winner, winnerSchema } from '../api/best';
import { deviceIdentitySchema, type Profile, profileSchema } from '../measure/device';
import { rooflineSurveySchema } from '../measure/roofline';
import { dtypeSchema, opSchema } from '../schema/op';
import type { Quote } from './quote';

/** How the two fastest of a shape did when they took turns. */
const finalSchema = z.strictObject({
  /** Places of the variants. */
  a: z.number().int().nonnegative(),
  b: z.number().int().nonnegative(),
  /** Times that `a` is faster than `b`, with the 95% interval. */
  ratio: z.number().positive(),
  low: z.number().positive(),
  high: z.number().positive(),
});

/**
 * The known times of one device, one file per op, dtype and profile: screened times of many variants on many
 * shapes, as `tilemark tune --suite` measures them, and the winners of searches of one shape. The selector
 * learns from both.
 */
export const evidenceSchema = z.strictObject({
  device: deviceIdentitySchema,
  driver: z.string(),
  runtimeVersions: z.record(z.string(), z.string()),
  profile: profileSchema,
  op: opSchema,
  dtype: dtypeSchema,
  measuredAt: z.iso.datetime(),
  /** The command that measured it. */
  command: z.string(),
  /** What the device's probes found under this profile; absent in files from before 2026-11-24. */
  roofline: rooflineSurveySchema.optional(),
  /** Addresses; `times` names them by their place here. */
  variants: z.array(z.string().max(400)),
  shapes: z.array(
    z.strictObject({
      shape: z.string().max(60),
      /** Place of the variant, cold median in ns. */
      times: z.array(z.tuple([z.number().int().nonnegative(), z.number().positive()])),
      /** Where screening could not tell the two fastest apart. */
      final: finalSchema.optional(),
    }),
  ),
  /** Winners of `tilemark tune`; absent in files from before 2026-11-27. */
  measured: z.array(winnerSchema).default([]),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** A time of a variant on a problem. */
export interface Observation {
  readonly problem: Problem;
  readonly address: string;
  readonly ns: number;
  /** Standard deviation, relative; absent: how well screened times repeat. */
  readonly error?: number;
  /** Absent: a search's. */
  readonly source?: Quote['source'];
  /** The result of this grid; absent: another's. */
  readonly resultId?: string;
  /** Of a variant that ships, measured in full. */
  readonly winner?: Winner;
}

/** The place of a time in evidence, whatever the dtype. */
export const placeOf = ({ problem, address }: Pick<Observation, 'problem' | 'address'>): string =>
  `${shapeText(problem)} ${address}`;

/** Observations of one op and dtype; of several of the same variant and shape the last. */
export const latest = (times: readonly Observation[]): Observation[] => [
  ...new Map(times.map((time) => [placeOf(time), time])).values(),
];

/** A duel of the two fastest of a shape: times that `a` is faster than `b`, with the 95% interval. */
export interface Final {
  readonly a: string;
  readonly b: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** The times of a file, each as it was screened, and its finals by the text of the shape. */
export function screenedOf({ op, dtype, variants, shapes }: Evidence): {
  readonly times: readonly Observation[];
  readonly finals: ReadonlyMap<string, Final>;
} {
  const addressAt = (place: number) => variants[place] ?? '';
  return {
    times: shapes.flatMap(({ shape, times }) => {
      const problem = parseProblem({ op, shape, dtype });
      return times.flatMap(([place, ns]) =>
        place < variants.length ? [{ problem, address: addressAt(place), ns }] : [],
      );
    }),
    finals: new Map(
      shapes.flatMap(({ shape, final }): [string, Final][] =>
        final ? [[shape, { ...final, a: addressAt(final.a), b: addressAt(final.b) }]] : [],
      ),
    ),
  };
}

/**
 * The times of a file under a profile: screened times, those of two that took turns as far apart as their
 * duel found them, and in their place what was measured in full. What was measured under another profile says
 * no more of this one than a screened time.
 */
export function observationsOf(file: Evidence, profile = file.profile): Observation[] {
  const { times, finals } = screenedOf(file);
  const screened = asDueled(
    times,
    [...finals].map(([shape, final]) => ({ shape, ...final })),
  );
  const { op, dtype } = file;
  const timesOf = (under: Profile) =>
    file.measured
      .filter((time) => time.profile === under)
      .map((winner): Observation => {
        const { address, medianNs, shape } = winner;
        const problem = parseProblem({ op, shape, dtype });
        const source = winner.origin.by === 'tuner' ? 'searched' : 'shipped';
        const error = under === profile && { error: errorOf(winner) };
        return { problem, address, ns: medianNs, source, winner, ...error };
      });
  return latest([...screened, ...timesOf(file.profile), ...timesOf(profile)]);
}

/** Standard deviation of a median, relative: its interval spans two to each side. */
export const errorOf = ({
  highNs,
  lowNs,
  medianNs,
}: Pick<Winner, 'highNs' | 'lowNs' | 'medianNs'>): number => (highNs - lowNs) / (4 * medianNs);

/** Separate times of two that are further apart need no duel. */
const APART = 1.25;

/**
 * Times, those of two that took turns on a shape as far apart as their duel found them.
 *
 * @param anchor what stays: the middle of the two; or the lesser time, which is then the winner's.
 *   The second is for who measures a variant again beside its duel: its other time must not put a
 *   third before both.
 */
export function asDueled(
  times: readonly Observation[],
  duels: readonly (Final & { readonly shape: string })[],
  anchor: 'middle' | 'least' = 'middle',
): Observation[] {
  const keyOf = (shape: string, address: string) => `${shape} ${address}`;
  const known = new Map(times.map((time) => [placeOf(time), time.ns]));
  for (const { a, b, ratio, shape } of duels) {
    const [one, other] = [a, b].map((address) => known.get(keyOf(shape, address)));
    if (one === undefined || other === undefined) continue;
    if (Math.max(one, other) > APART * Math.min(one, other)) continue;
    const half = Math.sqrt(ratio);
    const middle =
      anchor === 'middle'
        ? Math.sqrt(one * other)
        : Math.min(one, other) * Math.max(half, 1 / half);
    known.set(keyOf(shape, a), middle / half);
    known.set(keyOf(shape, b), middle * half);
  }
  return times.map((time) => ({ ...time, ns: known.get(placeOf(time)) ?? time.ns }));
}

/** Two times this near to each other are not told apart by screening. */
const CLOSE = 1.02;

/** The two fastest of each shape where screening could not tell them apart and no duel has. */
export function undecided(
  times: readonly Observation[],
  finals: ReadonlyMap<string, Final>,
): [Observation, Observation][] {
  const shapes = group(times, ({ problem }) => shapeText(problem));
  return [...shapes].flatMap(([shape, ofShape]): [Observation, Observation][] => {
    const [a, b] = ofShape.toSorted((one, other) => one.ns - other.ns);
    return a && b && b.ns <= CLOSE * a.ns && !finals.has(shape) ? [[a, b]] : [];
  });
}

/** A variant that was never this near to the fastest, on no shape, is left out of a file. */
const WORTH = 1.12;

/** Screened times, and the finals by the text of the shape, as a file keeps them. */
export function evidenceOf(
  head: Omit<Evidence, 'variants' | 'shapes'>,
  times: readonly Observation[],
  finals: ReadonlyMap<string, Final> = new Map(),
): Evidence {
  const shapes = group(times, ({ problem }) => shapeText(problem));
  const worth = new Set<string>();
  for (const ofShape of shapes.values()) {
    const best = Math.min(...ofShape.map(({ ns }) => ns));
    for (const { address, ns } of ofShape) if (ns <= WORTH * best) worth.add(address);
  }
  const variants = [...worth].sort();
  const place = new Map(variants.map((address, at) => [address, at]));
  return {
    ...head,
    variants,
    shapes: [...shapes].map(([shape, ofShape]) => {
      const final = finals.get(shape);
      const [a, b] = [place.get(final?.a ?? ''), place.get(final?.b ?? '')];
      return {
        shape,
        times: ofShape.flatMap(({ address, ns }): [number, number][] => {
          const at = place.get(address);
          return at === undefined ? [] : [[at, rounded(ns)]];
        }),
        ...(final && a !== undefined && b !== undefined && { final: { ...final, a, b } }),
      };
    }),
  };
}

/** To four digits: screened times repeat within 1%, and all of this is sent to whoever runs a worker. */
const rounded = (ns: number): number => Math.round(Number(ns.toPrecision(4)));
