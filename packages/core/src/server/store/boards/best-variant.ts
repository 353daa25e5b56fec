import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  type DimensionName,
  dimensionNames,
  feasible,
  InputError,
  opById,
  type Problem,
  parseProblem,
  shapeText,
} from '@tilemark/kernels';
import type { DeviceCapabilities, DeviceClass } from '../../../measure/device';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import { LIKE_SHAPE, nearestProblem, shapeDistance } from '../../../rank/nearest';
import type { TunedOn } from '../../../tune/tuned';
import type { BestQuery, BestVariant } from '../../../view/api';
import { fromJson, sha256 } from '../database';
import { deviceRef, rateOf } from '../run-view';
import { knownVariant, predictedVariant, programOf, shippedVariant } from './shipped-variant';

/**
 * The variant to run for a problem: what was ranked or tuned on it or the nearest shape, or what the
 * selector predicts to be faster from the evidence that ships for such a device. A measurement of
 * the very shape gives way only to a prediction that is faster by more than its error. Null: there
 * is neither. Throws InputError for a problem without all of its dimensions.
 */
export async function bestVariantOf(
  db: PrismaClient,
  query: BestQuery,
): Promise<BestVariant | null> {
  const asked = problemOf(query);
  const device = query.device ? await db.device.findUnique({ where: { key: query.device } }) : null;
  const known = await rankedVariantOf(db, query, asked, device);
  const vendor = device?.vendor ?? query.vendor;
  const on: TunedOn | null = device
    ? { key: device.key }
    : vendor
      ? { vendor, architecture: query.architecture }
      : null;
  const capabilities = device && fromJson<DeviceCapabilities>(device.capabilities);
  const predicted = on && predictedVariant(query, asked, on, capabilities);
  return predicted?.prediction && isFaster(predicted.prediction, known) ? predicted : known;
}

/** Whether a prediction is to be preferred to what is known. */
function isFaster(
  { ns, error }: NonNullable<BestVariant['prediction']>,
  known: BestVariant | null,
): boolean {
  if (!known?.isExact || !['device', 'shipped'].includes(known.fallback)) return true;
  const medianNs = (known.result ?? known.shipped)?.medianNs ?? Number.POSITIVE_INFINITY;
  return ns * (1 + error) < medianNs;
}

/**
 * The variant to run for a problem, decided by ranked results of the device, else by the tuned
 * variants that ship for such devices, else by results of its architecture, its vendor, or all
 * GPUs; on this problem or the nearest. A result gives way to a tuned variant that ships for the
 * very device it was measured on and has the better evidence. Null: nothing that could run the
 * problem was ranked.
 */
async function rankedVariantOf(
  db: PrismaClient,
  query: BestQuery,
  asked: Problem,
  device: Awaited<ReturnType<PrismaClient['device']['findUnique']>>,
): Promise<BestVariant | null> {
  const groups = groupsOf(query, device);
  const problems = new Map<MeasuredGroup, Problem[]>();
  const methodology = await newestOf(db, query);
  // Beyond that, results of other devices on a nearer shape come first.
  for (const farthest of [LIKE_SHAPE, Number.POSITIVE_INFINITY]) {
    for (const group of groups) {
      if (group.fallback === 'shipped') {
        const capabilities = device && fromJson<DeviceCapabilities>(device.capabilities);
        const shipped = shippedVariant(query, asked, group.of, { farthest, capabilities });
        if (shipped) return shipped;
        continue;
      }
      const measured =
        problems.get(group) ?? (await rankedProblems(db, { ...query, methodology }, group));
      problems.set(group, measured);
      const nearest = nearestProblem(asked, measured);
      if (!nearest || nearest.distance > farthest) continue;
      for (const candidate of await candidatesOf(
        db,
        { ...query, methodology },
        group,
        nearest.problem,
      )) {
        const best = await bestVariant(
          db,
          candidate,
          asked,
          device && fromJson(device.capabilities),
        );
        if (!best) continue;
        const ranked: BestVariant = {
          fallback: group.fallback,
          asked,
          measured: nearest.problem,
          isExact: nearest.distance === 0,
          profile: query.profile,
          shipped: null,
          prediction: null,
          ...best,
        };
        const measuredOn = best.result?.device.key;
        const shipped =
          measuredOn &&
          shippedVariant(
            query,
            asked,
            { key: measuredOn },
            {
              farthest,
              capabilities: device && fromJson<DeviceCapabilities>(device.capabilities),
            },
          );
        return shipped && evidenceOf(shipped) > evidenceOf(ranked) ? shipped : ranked;
      }
    }
  }
  return null;
}

/**
 * How much speaks for an answer, to compare two of one device: its rate, in the op's unit, less the
 * farther its shape is from the asked one. Half the rate is left where a dimension is twice as large.
 */
function evidenceOf({ asked, measured, result, shipped }: BestVariant): number {
  const rate = (result ?? shipped)?.rate.value ?? 0;
  return rate / (1 + shapeDistance(asked, measured));
}

/** The problem of a query. Throws InputError at the dimension that is missing or another op's. */
function problemOf(query: BestQuery): Problem {
  const { op, dtype } = query;
  const { dimensions, shape } = opById(op);
  const own = dimensions.map(({ name }) => name as DimensionName);
  for (const name of dimensionNames()) {
    const belongs = own.includes(name);
    if (belongs === (query[name] !== undefined)) continue;
    throw new InputError(
      `${name} is ${belongs ? 'missing' : `not a dimension of ${op}`}: ${op} takes ${own.join(', ')}.`,
      name,
    );
  }
  return { op, shape: shape(own.map((name) => query[name] ?? 0)), dtype } as Problem;
}

/** Devices of this grid whose results may decide. */
interface MeasuredGroup {
  readonly fallback: Exclude<BestVariant['fallback'], 'shipped'>;
  /** SQL condition on a row of "Device" AS d. */
  readonly where: Prisma.Sql;
}

/** Devices that the release ships tuned variants for. */
interface ShippedGroup {
  readonly fallback: 'shipped';
  readonly of: TunedOn;
}

type Group = MeasuredGroup | ShippedGroup;

const GPUS: readonly DeviceClass[] = ['gpu', 'browser'];

/** Groups from the device itself outwards. Kernels of the host and of software say nothing of GPUs. */
function groupsOf(
  query: BestQuery,
  device: { key: string; vendor: string; architecture: string; class: DeviceClass } | null,
): Group[] {
  const vendor = device?.vendor ?? query.vendor;
  const architecture = device?.architecture ?? query.architecture;
  const alike = device && (GPUS.includes(device.class) ? GPUS : [device.class]);
  const named = alike ?? [...GPUS, 'software'];
  const groups: Group[] = [];
  if (device) {
    groups.push({ fallback: 'device', where: Prisma.sql`d."key" = ${device.key}` });
    groups.push({ fallback: 'shipped', of: { key: device.key } });
  }
  const ofVendor = vendor
    ? Prisma.sql`lower(d."vendor") = lower(${vendor}) AND ${ofClasses(named)}`
    : null;
  if (architecture) {
    const where = Prisma.sql`lower(d."architecture") = lower(${architecture})
      AND ${ofVendor ?? ofClasses(named)}`;
    groups.push({ fallback: 'architecture', where });
  }
  if (ofVendor) groups.push({ fallback: 'vendor', where: ofVendor });
  if (vendor && !device) groups.push({ fallback: 'shipped', of: { vendor, architecture } });
  for (const classes of alike ? [alike] : [GPUS, ['software'] as const]) {
    groups.push({ fallback: 'overall', where: ofClasses(classes) });
  }
  return groups;
}

const ofClasses = (classes: readonly DeviceClass[]): Prisma.Sql =>
  Prisma.sql`d."class"::text IN (${Prisma.join([...classes])})`;

type VersionedQuery = BestQuery & { readonly methodology: number };

/** The newest methodology with a ranked result of the op, dtype and profile: they are never mixed. */
async function newestOf(db: PrismaClient, { dtype, op, profile }: BestQuery): Promise<number> {
  const where = { op, dtype, profile, unranked: null };
  const { _max } = await db.best.aggregate({ where, _max: { methodology: true } });
  return _max.methodology ?? METHODOLOGY_VERSION;
}

/** Problems of the op, dtype and profile that have a ranked result in the group. */
async function rankedProblems(
  db: PrismaClient,
  { op, dtype, methodology, profile }: VersionedQuery,
  { where }: MeasuredGroup,
): Promise<Problem[]> {
  const rows = await db.$queryRaw<{ shape: string }[]>`
    SELECT DISTINCT b."shape" FROM "Best" AS b JOIN "Device" AS d ON d."key" = b."deviceKey"
    WHERE b."op" = ${op} AND b."dtype" = ${dtype}
      AND b."profile" = ${profile}::"Profile" AND b."unranked" IS NULL
      AND b."methodology" = ${methodology}::int AND ${where}
    ORDER BY b."shape"`;
  return rows.map(({ shape }) => parseProblem({ op, shape, dtype }));
}

interface Candidate {
  readonly address: string;
  readonly devices: number;
  readonly partOfBest: number;
  /** On the device where it comes nearest to the best. */
  readonly resultId: string;
}

/**
 * Variants ranked on a problem in a group, the one to choose first: by the geometric
 * mean, over the devices that measured it, of its part of the best rate there. A variant
 * that few devices measured comes after those measured by at least half as many as
 * any: being the best on one device says little about the others.
 */
async function candidatesOf(
  db: PrismaClient,
  { op, dtype, methodology, profile }: VersionedQuery,
  { where }: MeasuredGroup,
  problem: Problem,
): Promise<Candidate[]> {
  const candidates = await db.$queryRaw<Candidate[]>`
    SELECT part."address", count(*)::int AS "devices",
      least(1, exp(avg(ln(part."ofBest")))) AS "partOfBest",
      (array_agg(part."resultId" ORDER BY part."ofBest" DESC, part."medianNs"))[1] AS "resultId"
    FROM (
      SELECT v."address", v."resultId", v."medianNs",
        min(v."medianNs") OVER (PARTITION BY v."deviceKey") / v."medianNs" AS "ofBest"
      FROM "VariantBest" AS v JOIN "Device" AS d ON d."key" = v."deviceKey"
      WHERE v."op" = ${op} AND v."dtype" = ${dtype}
        AND v."profile" = ${profile}::"Profile" AND v."shape" = ${shapeText(problem)}
        AND v."unranked" IS NULL AND v."methodology" = ${methodology}::int AND ${where}
    ) AS part
    GROUP BY part."address"
    ORDER BY "partOfBest" DESC, "devices" DESC, part."address"`;
  const most = Math.max(...candidates.map(({ devices }) => devices));
  const isWide = ({ devices }: Candidate) => 2 * devices >= most;
  return [...candidates.filter(isWide), ...candidates.filter((each) => !isWide(each))];
}

type Decided = Omit<
  BestVariant,
  'fallback' | 'asked' | 'measured' | 'isExact' | 'profile' | 'shipped' | 'prediction'
>;

/**
 * A candidate with its shader; null when this release has no such variant any more, or
 * it cannot run the asked problem on the device (where none is named, on its own).
 */
async function bestVariant(
  db: PrismaClient,
  { address, devices, partOfBest, resultId }: Candidate,
  asked: Problem,
  capabilities: DeviceCapabilities | null,
): Promise<Decided | null> {
  const variant = knownVariant(address);
  if (!variant) return null;
  const { run, ...result } = await db.result.findUniqueOrThrow({
    where: { id: resultId },
    select: {
      id: true,
      medianNs: true,
      endedAt: true,
      sourceHash: true,
      run: { select: { op: true, shape: true, dtype: true, device: true } },
    },
  });
  const limits = capabilities ?? fromJson<DeviceCapabilities>(run.device.capabilities);
  if (!feasible(variant, asked, limits).ok) return null;
  const medianNs = result.medianNs ?? Number.NaN;
  const measured = parseProblem(run);
  const program = programOf(variant, asked);
  const { wgsl } = program;
  return {
    ...program,
    devices,
    partOfBest,
    result: {
      id: result.id,
      device: deviceRef(run.device),
      medianNs,
      rate: rateOf(measured, medianNs),
      measuredAt: result.endedAt.toISOString(),
    },
    isSourceMeasured: isSame(result.sourceHash, wgsl),
  };
}

/** Whether a result ran this shader; null where it does not say what it ran, as files do not. */
function isSame(sourceHash: string | null, wgsl: string | null): boolean | null {
  if (wgsl === null) return sourceHash === null;
  return sourceHash === null ? null : sourceHash === sha256(wgsl);
}
