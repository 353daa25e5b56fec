/** The figures of h200.json, out of files of `bench/side-by-side` in docs/results/. */
import { kernelOf, type Problem, parseProblem, rateOf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { z } from 'zod';
import { date, type ReferenceFigure } from '../api/api';
import { driverText, environmentSchema, type Profile, profileSchema } from '../measure/device';
import { reason } from '../schema/maxima';

const positive = z.number().positive();

const sideSchema = z.object({
  medianNs: positive,
  intervalNs: z.tuple([positive, positive]),
  /** Of a library. */
  library: z.string().max(200).optional(),
  device: z.string().max(200).optional(),
  unranked: z.string().max(400).nullish(),
});
type Side = z.infer<typeof sideSchema>;

const rowSchema = z.object({
  op: z.string().max(40),
  shape: z.string().max(40),
  dtype: z.string().max(40),
  profile: profileSchema,
  variant: z.string().max(400),
  /** What ours is compared with; see `OTHERS`. */
  against: z.string().max(40),
  /** The other side of `against: 'fast'`. */
  fast: z.union([z.string().max(400), z.literal(false)]).optional(),
  rounds: z.array(z.object({ ours: sideSchema, other: sideSchema.nullable() })).max(100),
});
type Row = z.infer<typeof rowSchema>;

/** What `bench/side-by-side` writes: our kernels beside libraries, measured alternately. */
export const sideBySideFileSchema = z.object({
  date,
  environments: z.partialRecord(profileSchema, environmentSchema),
  /** A row that failed has an error in place of rounds. */
  results: z.array(z.union([rowSchema, z.object({ error: reason })])).max(1_000),
});
type SideBySideFile = z.infer<typeof sideBySideFileSchema>;

/**
 * Of several figures of one thing the newest, in the order in which things come first; of those of
 * one time the first.
 */
export function newestOfEach<F extends ReferenceFigure>(figures: readonly F[]): F[] {
  const newest = new Map<string, F>();
  for (const figure of figures) {
    const id = identity(figure);
    const known = newest.get(id);
    if (!known || (figure.measuredAt ?? '') > (known.measuredAt ?? '')) newest.set(id, figure);
  }
  return [...newest.values()];
}

/**
 * Of several series of one thing the one whose median is in the middle, as a headline is never the
 * best of several runs; of two, a kernel's slower and a library's faster, so that neither flatters us.
 */
export function middleOfEach<F extends ReferenceFigure>(figures: readonly F[]): F[] {
  return [...group(figures, identity).values()].flatMap((series) => {
    const byTime = series.toSorted((a, b) => a.medianNs - b.medianNs);
    const isLibrary = byTime[0]?.by.kind === 'library';
    return byTime[Math.floor((byTime.length - (isLibrary ? 1 : 0)) / 2)] ?? [];
  });
}

/** How bench/vendor.py and bench/libraries/libraries.mjs time, since it is not how kernels are timed. */
const BY_EVENTS =
  'Timed by CUDA events over calls that follow one another, each on the next of several sets of buffers';
const BY_WALL_CLOCK =
  'Timed by the wall clock, waiting included, over products of the same buffers, which caches may keep; kernels are timed by the GPU’s clock, each dispatch on the next of several sets of buffers';

/** The other side of a row. */
const OTHERS: Readonly<Record<string, (row: Row) => OtherSide>> = {
  vendor: () => ({ library: 'cuBLAS', timed: BY_EVENTS }),
  tfjs: () => ({ library: 'TensorFlow.js', timed: BY_WALL_CLOCK }),
  jax: () => ({ library: 'jax-js', timed: BY_WALL_CLOCK }),
  copy: ({ profile }) => ({ address: 'transpose/copy[WORKGROUP=256]', profile }),
  fast: ({ fast, variant }) => ({ address: fast || variant, profile: 'fast' }),
};
type OtherSide =
  | { readonly library: string; readonly timed: string }
  | { readonly address: string; readonly profile: Profile };

/**
 * Both sides of every row. Samples are not in the file, so nothing of it can be a result.
 *
 * @throws InputError for a problem that does not exist
 */
export function sideBySideFigures(file: SideBySideFile): ReferenceFigure[] {
  const [environment] = Object.values(file.environments);
  if (!environment) return [];
  const { device, driver } = environment;
  const common = { class: device.class, measuredAt: file.date } as const;
  const figures = file.results.flatMap((row) => {
    if ('error' in row) return [];
    const problem = parseProblem(row);
    const other = OTHERS[row.against]?.(row);
    return row.rounds.flatMap((round): ReferenceFigure[] => {
      const ours: ReferenceFigure = {
        ...common,
        ...timesOf(round.ours, problem),
        hardware: device.device,
        by: kernelBy(row.variant),
        problem,
        profile: row.profile,
        source: `Side by side with ${nameOf(other, row.variant)} in a run of ${file.date.slice(0, 10)}, driver ${driverText(driver)}.`,
      };
      if (!other || !round.other) return [ours];
      // Libraries have one kind of f16, which sums in f32.
      const theirs =
        'library' in other && row.dtype === 'f16acc16'
          ? { ...problem, dtype: 'f16' as const }
          : problem;
      return [
        ours,
        {
          ...common,
          ...timesOf(round.other, theirs),
          hardware: round.other.device ?? device.device,
          by:
            'library' in other
              ? { kind: 'library', name: other.library, version: round.other.library ?? '' }
              : kernelBy(other.address),
          problem: theirs,
          profile: 'library' in other ? null : other.profile,
          source: `Side by side with ${besideText(row.variant, row.profile, 'address' in other ? other.address : '')} in a run of ${file.date.slice(0, 10)}, driver ${driverText(driver)}.${'library' in other ? ` ${other.timed}.` : ''}`,
        },
      ];
    });
  });
  return middleOfEach(figures);
}

function nameOf(other: OtherSide | undefined, variant: string): string {
  if (other === undefined) return 'nothing';
  return 'library' in other ? other.library : besideText(other.address, other.profile, variant);
}

/** A kernel as the other side of a variant. */
function besideText(address: string, profile: Profile, variant: string): string {
  if (address === variant) return `the same variant under profile ${profile}`;
  const kernel = kernelOf(address);
  return kernel === kernelOf(variant)
    ? `another variant of the kernel (profile ${profile})`
    : kernel;
}

export const kernelBy = (address: string): ReferenceFigure['by'] => ({
  kind: 'kernel',
  kernel: kernelOf(address),
  address,
});

export function timesOf(
  { medianNs, intervalNs: [lowNs, highNs], unranked = null }: Side,
  problem: Problem,
) {
  return {
    medianNs,
    interval: { lowNs, highNs },
    rate: rateOf(problem, medianNs),
    unranked,
  };
}

/** Hardware, problem and profile, and what ran; a report may print one of them with several times. */
const identity = ({ by, hardware, medianNs, problem, profile }: ReferenceFigure): string =>
  JSON.stringify([
    hardware,
    profile,
    problem.op,
    problem.dtype,
    shapeText(problem),
    ...(by.kind === 'library' ? [by.name] : [by.address]),
    ...(by.kind === 'report' ? [by.label, medianNs] : []),
  ]);
