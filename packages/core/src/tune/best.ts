/**
 * `/best`: the variant to run for a problem on a GPU.
 *
 *   evidence   whose times count: the GPU's own, else those of GPUs like it
 *   candidates what the GPU cannot run is out, with its reason
 *   quotes     what the evidence says of each (selector.ts): measured, searched, shipped or predicted
 *   choice     the least expected time (quote.ts); of several GPUs, the nearest to the least of each
 *
 * Where there is no quote, a portable variant is named that nobody has timed there. A time under one
 * engine is no quote under another: where only Tint's are known, they give the order, and no time.
 */
import {
  bindingsOf,
  DTYPES,
  type Engine,
  feasible,
  idsOf,
  isByRows,
  kernelById,
  opOf,
  type Problem,
  packedDots,
  parseVariant,
  passesOf,
  type ResolvedVariant,
  rateOf,
  shapeText,
  sourceFor,
} from '@tilemark/kernels';
import { rollup } from 'd3-array';
import type { BestVariant } from '../api/best';
import { kernelNeeds } from '../api/kernel';
import { limitsOf, splitFor, splitText } from '../api/limits';
import {
  type DeviceCapabilities,
  type DeviceIdentity,
  engineOf,
  limitsBy,
  PLAIN_WEBGPU,
  type Profile,
} from '../measure/device';
import { deviceKey, engineOfKey } from '../measure/hardware';
import { leastTime, PLAUSIBLE_PART, surveyedRoof } from '../measure/roofline';
import { nearestProblem } from '../rank/nearest';
import type { Gpu } from './gpus';
import { nearestToBest, type Prediction } from './selector';
import {
  type Kind,
  type Learned,
  learnedFrom,
  shippedEvidence,
  shippedFor,
} from './shipped-evidence';
import type { Point } from './space';
import { workOf } from './time-model';

type Limits = Omit<DeviceCapabilities, 'features'> & { readonly features: string[] | null };

/** What is known of a GPU before it is asked about a problem. */
export interface Evidence {
  readonly basis: Exclude<BestVariant['basis'], 'portable' | 'tint'>;
  /** Of the GPU alone, or of several that are like it; empty: nothing is known. */
  readonly learned: readonly Learned[];
  /** The same under Tint, where another engine is asked about. */
  readonly underTint?: readonly Learned[];
  /** Null: unknown, and it runs everything that the problem allows; so with features alone. */
  readonly limits: Limits | null;
  /** Whether it is the host's CPU. */
  readonly isHost: boolean;
  /** What compiles the program. */
  readonly engine: Engine;
}

/** What was chosen; `best` is null if nothing can run there. */
export interface Choice {
  readonly best: BestVariant | null;
  readonly excluded: BestVariant['excluded'];
}

/** The choice for one problem on one GPU; null: whatever GPU. */
export interface BestRow extends Choice {
  readonly gpu: Gpu | null;
  readonly problem: Problem;
}

/** The engine of a question: as asked, else of the runtime that the GPU's key names, else Tint. */
export const engineFor = (asked: Engine | undefined, gpu: Gpu | null): Engine =>
  asked ?? (gpu && gpu.from !== 'vendor' ? engineOfKey(gpu.id) : null) ?? 'tint';

/** What files, or those that ship, say of a GPU, or of its vendor. */
export function shippedOf(
  gpu: Gpu,
  kind: Kind,
  asked?: Engine,
  files?: Parameters<typeof shippedFor>[2],
): Evidence {
  const { from, id } = gpu;
  const [vendor = '', architecture] = id.split('/');
  const wanted = from === 'vendor' ? { vendor, architecture } : { key: id };
  const engine = engineFor(asked, gpu);
  const learnedUnder = (one: Engine) => {
    const file = shippedFor({ ...wanted, engine: one }, kind, files);
    return file ? [learnedFrom(file, kind.profile)] : [];
  };
  const basis = from !== 'vendor' ? 'device' : architecture ? 'architecture' : 'vendor';
  return {
    ...{ basis, engine, limits: null, isHost: false, learned: learnedUnder(engine) },
    ...(engine !== 'tint' && { underTint: learnedUnder('tint') }),
  };
}

/** Above this error, a factor of 2, an engine's own prediction says less than the order of Tint's times. */
const UNSURE = Math.LN2;

/** The variant to run for a problem, by what is known of a GPU under a profile. */
export function answerFor(problem: Problem, profile: Profile, evidence: Evidence): Choice {
  const { able, known } = runnable(problem, profile, evidence);
  const choiceBy = (some: readonly Learned[]) => {
    const ranks = some
      .map((learned) => ({ learned, quotes: quotesOf(learned, problem, able) }))
      .filter(({ quotes }) => quotes.length > 0);
    const chosen = nearestToBest(ranks.map(({ quotes }) => quotes));
    for (const { learned, quotes } of ranks) {
      const quote = quotes.find(({ address }) => address === chosen);
      if (quote) return { learned, quote, quotes };
    }
    return null;
  };
  const own = choiceBy(evidence.learned);
  const isSure = own !== null && own.quote.error <= UNSURE;
  const ofTint = isSure ? null : choiceBy(evidence.underTint ?? []);
  const found = ofTint ?? own;
  const reasons = [...known.values()].filter((why) => why !== null);
  const excluded = [...rollup(reasons, (some) => some.length, String)].map(
    ([reason, variants]) => ({ reason, variants }),
  );
  const { engine } = evidence;
  const head = { problem, profile, engine, excluded };
  if (found) {
    const { learned, quote, quotes } = found;
    const { address: chosen } = quote;
    const others = quotes.filter(({ address }) => address !== chosen).slice(0, ofTint ? 0 : 3);
    const best = {
      ...{ ...head, basis: ofTint ? ('tint' as const) : evidence.basis },
      ...programOf(parseVariant(chosen), problem, engine),
      quote: ofTint ? null : shownQuote(quote, problem, learned),
      others: others.map(({ address, ns, error, source }) => ({ address, ns, error, source })),
    };
    return { best, excluded };
  }
  const portable = portableVariant(problem, profile, evidence);
  const best = portable && {
    ...{ ...head, basis: 'portable' as const, ...programOf(portable, problem, engine) },
    ...{ quote: null, others: [] },
  };
  return { best, excluded };
}

/** Which variants can run on a GPU, and what is known by now of those that were asked for: why not. */
export function runnable(problem: Problem, profile: Profile, evidence: Evidence) {
  const known = new Map<string, string | null>();
  const able = (point: Point): boolean => {
    if ((kernelById(point.kernel).runsOn === 'cpu') !== evidence.isHost) return false;
    const { address } = point;
    const why = known.has(address) ? known.get(address) : whyNot(point, problem, profile, evidence);
    known.set(address, why ?? null);
    return why === null;
  };
  return { able, known };
}

/** What a device's evidence quotes for a problem, the least expected time first. */
export function quotesOf(
  { roofline, selector, tried }: Learned,
  problem: Problem,
  able: (point: Point) => boolean,
  more: readonly Point[] = [],
): Prediction[] {
  // Fitted to few shapes and far from them, a kind may promise more than the device can do.
  const isPossible = ({ source, ns, ...variant }: Prediction) => {
    const roof = source === 'predicted' && roofline ? leastTime(roofline, variant, problem) : null;
    return !roof || ns >= PLAUSIBLE_PART * roof.ns;
  };
  return selector.rank(problem, able, [...tried, ...more]).filter(isPossible);
}

/** What evidence says of a problem on a device before anything is measured. */
export interface Expectation {
  /** The least expected time first. */
  readonly points: readonly Point[];
  /** The least time that the device allows, ns; null: unknown. */
  readonly roofNs: number | null;
}

export const NOTHING_KNOWN: Expectation = { points: [], roofNs: null };

/** What the evidence that ships says of a problem on a device, or on one of its architecture or vendor. */
export function expectationOf(
  problem: Problem,
  profile: Profile,
  device: DeviceIdentity,
): Expectation {
  const kind = { ...problem, profile };
  const { architecture, vendor } = device;
  const engine = engineOf(device.runtime) ?? undefined;
  const own = shippedFor({ key: deviceKey(device) }, kind);
  const file =
    own ??
    shippedFor({ vendor, architecture, engine }, kind) ??
    shippedFor({ vendor, engine }, kind);
  if (!file) return NOTHING_KNOWN;
  const learned = learnedFrom(file, profile);
  const points = quotesOf(learned, problem, (point) => kernelById(point.kernel).runsOn === 'gpu');
  const [first] = points;
  const roof = own && first && learned.roofline && leastTime(learned.roofline, first, problem);
  return { points, roofNs: roof ? roof.ns : null };
}

export function shownQuote(
  { error, ns, source, time }: Prediction,
  problem: Problem,
  { device, driver, measuredAt, profile, roofline, selector }: Learned,
): BestVariant['quote'] {
  const winner = time?.winner;
  // By plain multiply-adds, whatever units a variant has: it is of the problem, as a decode is.
  const plain = { kernel: `${problem.op}/naive`, tunables: {} };
  const roof = roofline && surveyedRoof(roofline, plain, problem, Number.POSITIVE_INFINITY);
  const bytes = opOf(problem).bytes(problem.shape, problem.dtype);
  const nearest = nearestProblem(problem, selector.problems);
  return {
    ...{ ns, error, source, device, rate: rateOf(problem, ns) },
    driver: winner?.driver ?? driver,
    profile: winner?.profile ?? profile,
    measuredAt: winner?.measuredAt ?? measuredAt,
    shape: shapeText(time || !nearest ? problem : nearest.problem),
    resultId: time?.resultId ?? null,
    memory:
      roof?.bound === 'bandwidth' ? { gigabytesPerSecond: bytes / ns, part: roof.ns / ns } : null,
    command: winner?.origin.by === 'tuner' ? winner.origin.command : null,
  };
}

/** Why a variant is no candidate; null: it is. */
function whyNot(
  { kernel, tunables }: Point,
  problem: Problem,
  profile: Profile,
  { engine, limits }: Pick<Evidence, 'engine' | 'limits'>,
): string | null {
  const definition = kernelById(kernel);
  if (definition.errorGrowth || definition.computes) {
    return 'its error is larger than usual, or it computes something else';
  }
  const features =
    definition.runsOn === 'gpu' ? kernelNeeds(definition, tunables, problem.dtype).features : [];
  const experimental = features.find((name) => name.startsWith('chromium-experimental'));
  // What browsers give: whatever Dawn offers under it outside of one.
  const isDawn = engine === 'tint' && profile !== 'default';
  if (experimental && !isDawn) return `no browser compiles ${experimental}`;
  const lanes = features.find((name) => name.startsWith('subgroup'));
  if (lanes && engine !== 'tint' && !limits?.features?.includes(lanes)) return NO_SUBGROUPS[engine];
  const device = { ...UNLIMITED, ...limits, features: limits?.features ?? features };
  const found = feasible({ kernel, tunables }, problem, device);
  if (found.ok) return null;
  const most = Math.min(device.maxStorageBufferBindingSize, device.maxBufferSize);
  const split = splitFor(problem, most);
  return split ? `${found.why}; ${splitText(split)}` : found.why;
}

/** What engines lacked on 2026-11-29. */
const NO_SUBGROUPS = {
  naga: 'neither Firefox nor Deno offers subgroups',
  webkit: 'Safari before July 2026 does not offer subgroups',
};

/** Where nothing is known of a device, only the problem can forbid a variant. */
const UNLIMITED = limitsBy(() => Number.POSITIVE_INFINITY);

/** The limits of any plain WebGPU device once asked for large buffers, but for what is known of it. */
export function plainLimits(dtype: Problem['dtype'], limits: Limits | null) {
  const { feature } = DTYPES[dtype];
  return {
    ...PLAIN_WEBGPU,
    maxStorageBufferBindingSize: Number.POSITIVE_INFINITY,
    maxBufferSize: Number.POSITIVE_INFINITY,
    ...limits,
    features: limits?.features ?? [...(feature ? [feature.name] : []), ...packedDots(dtype)],
  };
}

/**
 * What to run where nothing is known of a GPU: of the variants that it can run, or any plain WebGPU
 * device once asked for large buffers, and that divide their work by the problem alone, the one
 * nearest to the best of every surveyed device. Null: no such device was surveyed for the op.
 */
function portableVariant(
  problem: Problem,
  profile: Profile,
  { engine, isHost, limits }: Evidence,
): ResolvedVariant | null {
  if (isHost) return null;
  const plain = plainLimits(problem.dtype, limits);
  const known = new Map<string, boolean>();
  const able = (point: Point) => {
    const isAble =
      known.get(point.address) ??
      (whyNot(point, problem, profile, { engine, limits: plain }) === null &&
        // Waves of so many workgroups are made for as many processors.
        workOf(point, problem).waves === null);
    known.set(point.address, isAble);
    return isAble;
  };
  const ranks = surveysOf(problem, profile, engine, able).map(({ rank }) => rank);
  const best = nearestToBest(ranks);
  return best === undefined ? null : parseVariant(best);
}

/**
 * What the surveys that ship say of a problem, for GPUs that nobody has timed. Where none of those that win in
 * a dtype can run, or nobody has timed it: of what other weights by rows are multiplied with, else of f32.
 */
export function surveysOf(
  problem: Problem,
  profile: Profile,
  engine: Engine,
  able: (point: Point) => boolean,
) {
  const surveysIn = (dtypes: readonly Problem['dtype'][], under: Engine) =>
    shippedEvidence()
      .filter(
        ({ device, op, dtype }) =>
          op === problem.op && dtypes.includes(dtype) && engineOf(device.runtime) === under,
      )
      .map((file) => {
        const learned = learnedFrom(file, profile);
        const timed: Problem = { ...problem, dtype: file.dtype };
        return { learned, problem: timed, rank: learned.selector.rank(timed, able) };
      })
      .filter(({ rank }) => rank.length > 0);
  const alike = isByRows(problem.dtype) ? idsOf(DTYPES).filter(isByRows) : [];
  const engines = engine === 'tint' ? [engine] : [engine, 'tint' as const];
  return (
    [[problem.dtype], alike, ['f32' as const]]
      .flatMap((dtypes) => engines.map((under) => surveysIn(dtypes, under)))
      .find(({ length }) => length > 0) ?? []
  );
}

type Program =
  | 'variant'
  | 'address'
  | 'wgsl'
  | 'needs'
  | 'limits'
  | 'split'
  | 'bindings'
  | 'passes';

/** What it takes to run a variant on a problem, as this release writes it. */
export function programOf(
  { address, definition, kernel, tunables }: ResolvedVariant,
  problem: Problem,
  engine: Engine = 'tint',
): Pick<BestVariant, Program> {
  const variant = { kernel, tunables };
  if (definition.runsOn !== 'gpu') {
    const none = { wgsl: null, needs: null, limits: null, split: null };
    return { variant, address, ...none, bindings: [], passes: [] };
  }
  const needs = kernelNeeds(definition, tunables, problem.dtype);
  const buffers = bindingsOf(definition, tunables, problem);
  return {
    variant,
    address,
    wgsl: sourceFor(definition, tunables, problem, engine),
    needs,
    limits: limitsOf(needs, buffers),
    split: splitFor(problem, PLAIN_WEBGPU.maxStorageBufferBindingSize),
    bindings: buffers.map(({ values, ...buffer }, binding) => ({
      binding,
      ...buffer,
      ...(values && { values: [...values] }),
    })),
    passes: passesOf(definition, tunables, problem).map(({ entryPoint, workgroups }) => ({
      entryPoint,
      workgroups: [...workgroups],
    })),
  };
}
