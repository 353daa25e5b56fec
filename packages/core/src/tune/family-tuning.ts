import { DTYPES, type Dtype, idsOf, type Problem, refuseIf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { seedSchema } from '../measure/seed';
import { whySkipped } from '../plan/counts';
import { FAMILIES, type Family } from '../plan/families';
import { dtypeSchema } from '../schema/op';
import { candidatesFor } from './candidates';
import {
  type FamilyShape,
  familyShapes,
  pointOf,
  type SkippedShape,
  searchFamily,
} from './family-search';
import {
  checkTunable,
  type TunableDevice,
  type TuningDecision,
  type TuningRequest,
} from './problem-tuning';
import { replay, type TuningRun, type TuningStep } from './replay';

/** Ids of the families. */
export const familyIdSchema = z.enum(FAMILIES.map(({ id }) => id));

/** What the tuning of a family searches, as it is kept with its sweep. */
export const familyRequestSchema = z.object({
  suite: z.string(),
  dtype: dtypeSchema,
  profile: profileSchema,
  budgetSeconds: z.number().positive(),
  seed: seedSchema,
  /** Shapes of the family that did not fit the device when it was asked for. */
  skipped: z.array(z.object({ shape: z.string(), why: z.string() })),
});
export type FamilyRequest = z.infer<typeof familyRequestSchema>;

/** Budgets of a family's tuning, s. */
export const FAMILY_BUDGET = { least: 10, most: 14_400, usual: 1_800 };

/** What the tuning of a family found; its times are those of its runs. */
export const familyDecisionSchema = z.object({
  /** Why screening ended: its share of the budget was used, or every shape was searched. */
  stop: z.enum(['budget', 'exhausted']),
  /** Shapes that were searched, without one that the time cut short. */
  searched: z.number().int(),
  /** Candidates that were screened, over all shapes. */
  screened: z.number().int(),
  /** Shapes whose two fastest took turns. */
  duels: z.number().int(),
});
export type FamilyDecision = z.infer<typeof familyDecisionSchema>;

/** The family of an id; undefined: this release has none of it. */
export const familyById = (id: string): Family | undefined =>
  FAMILIES.find((family) => family.id === id);

/** Dtypes in which a family has candidates. */
export const dtypesOfFamily = ({ op, shapes }: Family): Dtype[] =>
  idsOf(DTYPES).filter((dtype) =>
    shapes.some((shape) => candidatesFor({ op, shape, dtype } as Problem).length > 0),
  );

/**
 * The shapes of a family to search on a device, and those that do not fit it, with the reason. Throws
 * InputError at the field at fault, which is `suite` where none fits.
 */
export function familyToTune(
  { dtype, profile, suite }: Pick<FamilyRequest, 'suite' | 'dtype' | 'profile'>,
  device: TunableDevice,
): { readonly shapes: FamilyShape[]; readonly skipped: SkippedShape[] } {
  const family = familyById(suite);
  refuseIf(!family, `${suite} is not one of ${FAMILIES.map(({ id }) => id).join(', ')}.`, 'suite');
  if (!family) return { shapes: [], skipped: [] };
  checkTunable({ dtype, profile }, device, 'dtype');
  const dtypes = dtypesOfFamily(family);
  refuseIf(
    !dtypes.includes(dtype),
    `No candidate of ${suite} computes ${dtype}; it has some for ${dtypes.join(', ')}.`,
    'dtype',
  );
  const found = familyShapes(family, dtype, (variant, problem) =>
    whySkipped({ variant, problem, profile }, device.capabilities),
  );
  refuseIf(
    found.shapes.length === 0,
    `No shape of ${suite} fits ${device.name}. ${found.skipped[0]?.why ?? ''}`,
    'suite',
  );
  return found;
}

/**
 * The next step of the tuning of a family: what `tilemark tune --suite` does, replayed.
 *
 * @param runs in the order in which they were added
 */
export function familyStep(
  { budgetSeconds }: Pick<FamilyRequest, 'budgetSeconds'>,
  shapes: readonly FamilyShape[],
  runs: readonly TuningRun[],
): Promise<TuningStep<FamilyDecision>> {
  const begun = group(
    runs.filter(({ policy, rival }) => policy === 'screen' && !rival),
    ({ problem }) => shapeText(problem),
  );
  return replay(runs, function* (nowNs) {
    const { duels, screened, searched, stop } = yield* searchFamily({
      shapes,
      budgetNs: budgetSeconds * 1e9,
      nowNs,
      // What it chose for a shape it stays with, so that retries and releases change nothing.
      chosen: (problem) => {
        const screens = begun.get(shapeText(problem));
        return screens?.flatMap(({ address }) => pointOf(address) ?? []) ?? null;
      },
    });
    return { stop, searched, screened, duels };
  });
}

/** What a sweep that grows searches, as it is kept with it. */
export type GridTuning = TuningRequest | FamilyRequest;
export type GridDecision = TuningDecision | FamilyDecision;
