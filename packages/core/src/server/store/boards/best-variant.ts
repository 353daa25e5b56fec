import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  type DimensionName,
  dimensionNames,
  faultOf,
  feasible,
  InputError,
  ifValid,
  opById,
  type Problem,
  parseProblem,
  parseVariant,
  rateOf,
  shapeText,
} from '@tilemark/kernels';
import { greatest } from 'd3-array';
import type {
  DeviceCapabilities,
  DeviceClass,
  Environment,
  ModelQuery,
  Profile,
} from '../../../measure/device';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import { shorterMedian } from '../../../rank/head-to-head';
import { LIKE_SHAPE, nearestProblem, shapeDistance } from '../../../rank/nearest';
import { bestTimes, portability } from '../../../rank/portability';
import { byQuote, type PlacedQuote } from '../../../tune/quote';
import type { Selector } from '../../../tune/selector';
import { type Learned, learnedFrom, shippedFor } from '../../../tune/shipped-evidence';
import type { BestQuery, BestVariant } from '../../../view/api';
import { isQuotable, quotable } from '../../gate/parties';
import { knownWrong } from '../alarms';
import { fromJson, sha256 } from '../database';
import { deviceRef } from '../run-view';
import { duelsHere, winnerOf } from './duels';
import { type LearnedHere, learnedHere } from './learned';
import { type Asked, answerWith, portableVariant, predictedVariant } from './shipped-variant';
import { measuredTime, timesOn } from './variant-boards';

type DeviceRow = Prisma.DeviceGetPayload<object>;

/**
 * The variant to run for a problem. Each source quotes a time on it (tune/quote.ts): the results that
 * were ranked on the device or ship for its model, and the selector that learned from them and from
 * quick runs. The least time at the slow end of its error wins. Other devices answer where this one
 * has nothing near. Only quotable results count (gate/parties.ts); where they know no answer, any ranked
 * result does, and the answer says that it is unconfirmed. Null: there is none. Throws InputError for a
 * problem without all of its dimensions.
 */
export async function bestVariantOf(
  db: PrismaClient,
  query: BestQuery,
): Promise<BestVariant | null> {
  const problem = problemOf(query);
  const device = query.device ? await db.device.findUnique({ where: { key: query.device } }) : null;
  const capabilities = device && (await capabilitiesUnder(db, device, query.profile));
  const { profile } = query;
  const wrong = device ? await knownWrong(db, device.key, { ...problem, profile }) : NONE_WRONG;
  const asked: Asked = { problem, profile, capabilities, wrong };
  return (
    (await quotedVariantOf(db, query, asked, device)) ??
    (await rankedVariantOf(db, query, asked, { device, unconfirmed: true })) ??
    (device ? null : portableVariant(asked))
  );
}

const NONE_WRONG: ReadonlySet<string> = new Set();

async function quotedVariantOf(
  db: PrismaClient,
  query: BestQuery,
  asked: Asked,
  device: DeviceRow | null,
): Promise<BestVariant | null> {
  const known = await rankedVariantOf(db, query, asked, { device, unconfirmed: false });
  const learned = await learnedOf(db, query, asked, { device, known });
  if (!learned) return known;
  const { fallback, from } = learned;
  const predicted = predictedVariant(asked, from, { fallback, tried: from.tried ?? [] });
  return known && predicted ? preferred(known, predicted, from.selector) : (known ?? predicted);
}

/** What there is to learn from: of the device, here or shipped; of its vendor where nothing else answers. */
async function learnedOf(
  db: PrismaClient,
  query: BestQuery,
  asked: Asked,
  { device, known }: { readonly device: DeviceRow | null; readonly known: BestVariant | null },
): Promise<{
  readonly fallback: BestVariant['fallback'];
  readonly from: Learned & Partial<LearnedHere>;
} | null> {
  const here = device && (await learnedHere(db, device, asked));
  if (here) return { fallback: 'device', from: here };
  const { profile } = query;
  const model = modelQuery(query, device);
  const file = model && shippedFor(model, query);
  if (file) return { fallback: 'shipped', from: learnedFrom(file, profile) };
  const { vendor } = device ?? query;
  const alike = known || !vendor ? null : shippedFor({ vendor }, query);
  return alike && { fallback: 'vendor', from: learnedFrom(alike, profile) };
}

/** Of a ranked and a learned answer the one whose quote comes first, unless too little was tried. */
function preferred(known: BestVariant, learned: BestVariant, selector: Selector): BestVariant {
  const { address, asked, isExact } = known;
  const quote = quoteOf(known);
  // A few times say nothing of a kernel that is not among them; a search does.
  const isUnheard = learned.fallback === 'device' && !selector.knows(address);
  if (isUnheard && (isExact || !selector.hasSearched(asked, quote.distance))) return known;
  // Times of other devices say nothing of this one.
  if (known.fallback !== 'device') return learned;
  // With a result to show for it.
  if (quote.distance <= LIKE_SHAPE && address === learned.address) return known;
  const other = { ...quoteOf(learned), distance: selector.distanceTo(learned.address, asked) };
  return byQuote(other, quote) < 0 ? learned : known;
}

/**
 * What an answer quotes for the asked problem. A time of another shape is scaled by the op's work,
 * which knows nothing of waves and caches: it may be off by as much again, and by the distance.
 */
export function quoteOf({
  asked,
  measured,
  prediction,
  result,
  shipped,
}: BestVariant): PlacedQuote {
  const distance = shapeDistance(asked, measured);
  if (prediction) return { ...prediction, distance };
  const { value = 0 } = (result ?? shipped)?.rate ?? {};
  return { ns: rateOf(asked, 1).value / value, error: distance > 0 ? 1 + distance : 0, distance };
}

/** What a device can do under a profile: its results show the features, more of them under `fast`. */
async function capabilitiesUnder(
  db: PrismaClient,
  { capabilities, key, ownedBy }: DeviceRow,
  profile: Profile,
): Promise<DeviceCapabilities> {
  const best = await db.variantBest.findFirst({
    where: {
      deviceKey: key,
      profile,
      isBest: true,
      ...(ownedBy !== null && { result: quotable(ownedBy) }),
    },
    select: { result: { select: { environment: true } } },
    orderBy: { result: { endedAt: 'desc' } },
  });
  const attached = fromJson<DeviceCapabilities>(capabilities);
  const seen = best && fromJson<Environment>(best.result.environment.content).capabilities;
  return { ...attached, features: seen?.features ?? attached.features };
}

/** The devices that shipped evidence may speak for; null: nothing is known. */
const modelQuery = (
  { architecture, device: key, vendor }: BestQuery,
  device: { readonly key: string } | null,
): ModelQuery | null => {
  // A model that this grid has not seen may be one of those that ship.
  if (device ?? key) return { key: device?.key ?? key ?? '' };
  return vendor ? { vendor, architecture } : null;
};

/**
 * The variant to run for a problem, decided by ranked results of the device, else of its
 * architecture, its vendor, or all GPUs; on this problem or the nearest. Null: nothing that could
 * run the problem was ranked.
 */
async function rankedVariantOf(
  db: PrismaClient,
  query: BestQuery,
  asked: Asked,
  { device, unconfirmed }: { readonly device: DeviceRow | null; readonly unconfirmed: boolean },
): Promise<BestVariant | null> {
  const groups = groupsOf(query, device);
  const newest = unconfirmed ? {} : quotable(device?.ownedBy ?? null);
  const methodology = await newestOf(db, query, newest);
  // Beyond a like shape, results of other devices on a nearer one come first.
  const rounds: readonly (readonly [farthest: number, asked: readonly Group[]])[] = [
    [LIKE_SHAPE, groups],
    [Number.POSITIVE_INFINITY, groups],
    [Number.POSITIVE_INFINITY, device || query.vendor ? [] : [SOFTWARE]],
  ];
  for (const [farthest, some] of rounds) {
    for (const group of some) {
      const only = group.fallback === 'device' ? device : null;
      const from = { ...group, methodology, farthest, device: only, unconfirmed };
      const ranked = await measuredVariant(db, asked, from);
      if (ranked) return ranked;
    }
  }
  return null;
}

/** The problem of a query. Throws InputError at the dimension that is missing, another op's or no multiple of a block. */
function problemOf(query: BestQuery): Problem {
  const { op, dtype, epilogue } = query;
  const { dimensions, shape, square } = opById(op);
  const sizeOf = (dimension: (typeof dimensions)[number]) =>
    query[dimension.name as DimensionName] ?? dimension.default;
  for (const name of dimensionNames()) {
    const dimension = dimensions.find((known) => known.name === name);
    if (dimension ? sizeOf(dimension) !== undefined : query[name] === undefined) continue;
    throw new InputError(
      `${name} is ${dimension ? 'missing' : `not a dimension of ${op}`}: ${op} takes ${Object.keys(square(2)).join(', ')}.`,
      name,
    );
  }
  const problem = {
    op,
    shape: shape(dimensions.map((dimension) => sizeOf(dimension) ?? 0)),
    dtype,
    ...(epilogue && { epilogue }),
  } as Problem;
  const fault = faultOf(op, problem.shape, dtype, { epilogue });
  if (fault) throw new InputError(`${fault.reason}.`, fault.field);
  return problem;
}

/** Devices of this grid whose results may decide. */
interface Group {
  readonly fallback: Exclude<BestVariant['fallback'], 'shipped' | 'portable'>;
  readonly where: Prisma.DeviceWhereInput;
}

const GPUS: DeviceClass[] = ['gpu', 'browser'];

/** For whoever names no GPU, on a grid that has none. */
const SOFTWARE: Group = { fallback: 'overall', where: { class: 'software' } };

/** Groups from the device itself outwards. Kernels of the host and of software say nothing of GPUs. */
function groupsOf(query: BestQuery, device: DeviceRow | null): Group[] {
  const { architecture, vendor } = device ?? query;
  const alike = device && (GPUS.includes(device.class) ? GPUS : [device.class]);
  const like = (text: string) => ({ equals: text, mode: 'insensitive' as const });
  const ofVendor: Prisma.DeviceWhereInput = {
    ...(vendor && { vendor: like(vendor) }),
    class: { in: alike ?? [...GPUS, 'software'] },
  };
  return [
    ...(device ? [{ fallback: 'device' as const, where: { key: device.key } }] : []),
    ...(architecture
      ? [
          {
            fallback: 'architecture' as const,
            where: { ...ofVendor, architecture: like(architecture) },
          },
        ]
      : []),
    ...(vendor ? [{ fallback: 'vendor' as const, where: ofVendor }] : []),
    { fallback: 'overall' as const, where: { class: { in: alike ?? GPUS } } },
  ];
}

/** The newest methodology with a ranked result of the op, dtype and profile: they are never mixed. */
async function newestOf(
  db: PrismaClient,
  { dtype, op, profile }: Pick<BestQuery, 'dtype' | 'op' | 'profile'>,
  result: Prisma.ResultWhereInput,
): Promise<number> {
  const where = { op, dtype, profile, isBest: true, unranked: null, result };
  const { _max } = await db.variantBest.aggregate({ where, _max: { methodology: true } });
  return _max.methodology ?? METHODOLOGY_VERSION;
}

/**
 * The most portable variant of a group (rank/portability.ts), on the measured problem nearest to
 * the asked one, that this release still has and that can run the problem on the device (where
 * none is named, on its own).
 */
async function measuredVariant(
  db: PrismaClient,
  asked: Asked,
  from: Group & {
    readonly methodology: number;
    readonly farthest: number;
    /** The device, if it is that alone: duels that were held there then decide what times cannot. */
    readonly device: DeviceRow | null;
    /** From any ranked result, not from quotable ones alone. */
    readonly unconfirmed: boolean;
  },
): Promise<BestVariant | null> {
  const { device, fallback, farthest, methodology, unconfirmed, where } = from;
  const { problem, profile, capabilities } = asked;
  const { op, dtype } = problem;
  const shapes = await db.variantBest.groupBy({
    by: ['shape'],
    where: {
      op,
      dtype,
      profile,
      methodology,
      isBest: true,
      unranked: null,
      device: where,
      ...(!unconfirmed && { result: quotable(device?.ownedBy ?? null) }),
    },
    orderBy: { shape: 'asc' },
  });
  const measured = shapes.map(({ shape }) => parseProblem({ op, shape, dtype }));
  const nearest = nearestProblem(problem, measured);
  if (!nearest || nearest.distance > farthest) return null;
  const group = await db.device.findMany({ where, select: { key: true, name: true, class: true } });
  const isOne = isQuotable('result', device?.ownedBy ?? null);
  const all = await timesOn(
    db,
    group,
    nearest.problem,
    { methodology, profile },
    Prisma.sql`(${unconfirmed} OR EXISTS (
      SELECT FROM "Result" AS result WHERE result."id" = best."resultId" AND ${isOne}))`,
  );
  const times = all.filter(({ unranked }) => unranked === null);
  const best = bestTimes(times);
  const order = portability(times);
  const dueled =
    device && (await dueledOn(db, device, nearest.problem, { order, methodology, profile }));
  const isFirst = ({ address }: { readonly address: string }) => address === dueled?.address;
  for (const portable of order.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
    const { address, devices, partOfBest } = portable;
    const variant = ifValid(() => parseVariant(address));
    const closest = greatest(
      times.filter((time) => time.address === address),
      ({ deviceKey, provenNs }) => (best.get(deviceKey) ?? 0) / provenNs,
    );
    if (!variant || !closest || asked.wrong.has(variant.address)) continue;
    const { environment, run, ...result } = await db.result.findUniqueOrThrow({
      where: { id: closest.resultId },
      include: { environment: true, run: { include: { device: true } } },
    });
    const seen = fromJson<Environment>(environment.content).capabilities;
    const limits = capabilities ?? {
      ...fromJson<DeviceCapabilities>(run.device.capabilities),
      features: seen.features,
    };
    if (!feasible(variant, problem, limits).ok) continue;
    const medianNs = result.medianNs ?? Number.NaN;
    const shorter = shorterMedian(
      closest,
      times.filter(({ deviceKey }) => deviceKey === closest.deviceKey),
    );
    const answer = answerWith(asked, variant, {
      fallback,
      unconfirmed,
      measured: nearest.problem,
      isExact: nearest.distance === 0,
      devices,
      partOfBest,
      duel: isFirst(portable) ? (dueled?.won ?? null) : null,
      result: {
        id: result.id,
        device: deviceRef(run.device),
        medianNs,
        rate: rateOf(parseProblem(run), medianNs),
        measuredAt: result.endedAt.toISOString(),
      },
      shorterMedian: shorter && measuredTime(shorter),
    });
    return { ...answer, isSourceMeasured: isSame(result.sourceHash, answer.wgsl) };
  }
  return null;
}

/** The variant that duels put first on a device, where its own times do not; null: they change nothing. */
async function dueledOn(
  db: PrismaClient,
  device: DeviceRow,
  problem: Problem,
  {
    order,
    methodology,
    profile,
  }: {
    readonly order: readonly { readonly address: string }[];
    readonly methodology: number;
    readonly profile: BestVariant['profile'];
  },
) {
  const { op, dtype } = problem;
  const shape = shapeText(problem);
  const addresses = order.map(({ address }) => address);
  const duels = await duelsHere(db, device, { op, dtype, shape, profile }, addresses);
  if (duels.length === 0) return null;
  const rows = await db.variantBest.findMany({
    where: {
      deviceKey: device.key,
      op,
      dtype,
      shape,
      profile,
      methodology,
      address: { in: addresses },
      unranked: null,
    },
  });
  const placed = addresses.flatMap(
    (wanted) => rows.find(({ address }) => address === wanted) ?? [],
  );
  return winnerOf(placed, duels);
}

/** Whether a result ran this shader; null where it does not say what it ran, as files do not. */
function isSame(sourceHash: string | null, wgsl: string | null): boolean | null {
  if (wgsl === null) return sourceHash === null;
  return sourceHash === null ? null : sourceHash === sha256(wgsl);
}
