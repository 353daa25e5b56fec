import { type Problem, parseProblem, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { z } from 'zod';
import { deviceIdentitySchema, profileSchema } from '../measure/device';
import { rooflineSurveySchema } from '../measure/roofline';
import { dtypeSchema, opSchema } from '../plan/spec';

/**
 * Screened times of many variants on many shapes of one device, as `tilemark tune --suite` measures
 * them: what the selector learns from. One file per op, dtype and profile.
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
    }),
  ),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** A time of a variant on a problem. */
export interface Observation {
  readonly problem: Problem;
  readonly address: string;
  readonly ns: number;
}

export function observationsOf({ op, dtype, variants, shapes }: Evidence): Observation[] {
  return shapes.flatMap(({ shape, times }) => {
    const problem = parseProblem({ op, shape, dtype });
    return times.flatMap(([place, ns]) => {
      const address = variants[place];
      return address === undefined ? [] : [{ problem, address, ns }];
    });
  });
}

/** A variant that was never this near to the fastest, on no shape, is left out of a file. */
const WORTH = 1.12;

/** Observations as a file keeps them: the shapes in order of measurement. */
export function evidenceOf(
  head: Omit<Evidence, 'variants' | 'shapes'>,
  observations: readonly Observation[],
): Evidence {
  const shapes = group(observations, ({ problem }) => shapeText(problem));
  const worth = new Set<string>();
  for (const own of shapes.values()) {
    const best = Math.min(...own.map(({ ns }) => ns));
    for (const { address, ns } of own) if (ns <= WORTH * best) worth.add(address);
  }
  const variants = [...worth].sort();
  const place = new Map(variants.map((address, at) => [address, at]));
  return {
    ...head,
    variants,
    shapes: [...shapes].map(([shape, own]) => ({
      shape,
      times: own.flatMap(({ address, ns }): [number, number][] => {
        const at = place.get(address);
        return at === undefined ? [] : [[at, Math.round(ns)]];
      }),
    })),
  };
}
