import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  feasible,
  InputError,
  opById,
  type Problem,
  parseShape,
  type Shape,
  shapeText,
} from '@tilemark/kernels';
import type { BestQuery, BestVariant } from '../../api';
import type { DeviceCapabilities, DeviceClass } from '../../device';
import { LIKE_SHAPE, nearestProblem } from '../../nearest';
import type { TunedOn } from '../../tuned/tuned';
import { sha256 } from './hash';
import { fromJson } from './json';
import { deviceRef, rateOf } from './run-view';
import { shippedVariant } from './shipped-variant';
import { knownVariant, programOf } from './variant-program';

/** The contract is at `Store.best`. */
export async function bestVariantOf(
  db: PrismaClient,
  query: BestQuery,
): Promise<BestVariant | null> {
  const asked = problemOf(query);
  const device = query.device ? await db.device.findUnique({ where: { key: query.device } }) : null;
  const groups = groupsOf(query, device);
  const problems = new Map<MeasuredGroup, Problem[]>();
  // Beyond that, results of other devices on a nearer shape come first.
  for (const farthest of [LIKE_SHAPE, Number.POSITIVE_INFINITY]) {
    for (const group of groups) {
      if (group.fallback === 'shipped') {
        const capabilities = device && fromJson<DeviceCapabilities>(device.capabilities);
        const shipped = shippedVariant(query, asked, group.of, { farthest, capabilities });
        if (shipped) return shipped;
        continue;
      }
      const measured = problems.get(group) ?? (await rankedProblems(db, query, group));
      problems.set(group, measured);
      const nearest = nearestProblem(asked, measured);
      if (!nearest || nearest.distance > farthest) continue;
      for (const candidate of await candidatesOf(db, query, group, nearest.problem)) {
        const best = await bestVariant(
          db,
          candidate,
          asked,
          device && fromJson(device.capabilities),
        );
        if (!best) continue;
        const isExact = nearest.distance === 0;
        const { fallback } = group;
        return {
          fallback,
          asked,
          measured: nearest.problem,
          isExact,
          profile: query.profile,
          shipped: null,
          ...best,
        };
      }
    }
  }
  return null;
}

/** The problem of a query. Throws InputError at the dimension that is missing or another op's. */
function problemOf(query: BestQuery): Problem {
  const { op, dtype } = query;
  const names = op === 'matmul' ? (['m', 'n', 'k'] as const) : (['rows', 'cols'] as const);
  for (const name of ['m', 'n', 'k', 'rows', 'cols'] as const) {
    const belongs = names.some((each) => each === name);
    if (belongs === (query[name] !== undefined)) continue;
    throw new InputError(
      `${name} is ${belongs ? 'missing' : 'no dimension of it'}: ${op} takes ${names.join(', ')}.`,
      name,
    );
  }
  const shape: Shape = opById(op).shape(names.map((name) => query[name] ?? 0));
  return { op, shape, dtype } as Problem;
}

/** Devices of this grid whose results may decide. */
interface MeasuredGroup {
  readonly fallback: Exclude<BestVariant['fallback'], 'shipped'>;
  /** SQL condition on a row of "Device" AS d. */
  readonly where: Prisma.Sql;
}

/** Devices of which the release ships tuned variants. */
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

/** Problems of the op, dtype and profile that have a ranked result in the group. */
async function rankedProblems(
  db: PrismaClient,
  { op, dtype, profile }: BestQuery,
  { where }: MeasuredGroup,
): Promise<Problem[]> {
  const rows = await db.$queryRaw<{ shape: string }[]>`
    SELECT DISTINCT b."shape" FROM "Best" AS b JOIN "Device" AS d ON d."key" = b."deviceKey"
    WHERE b."op" = ${op}::"Op" AND b."dtype" = ${dtype}::"Dtype"
      AND b."profile" = ${profile}::"Profile" AND b."unranked" IS NULL AND ${where}
    ORDER BY b."shape"`;
  return rows.map(({ shape }) => ({ op, shape: parseShape(op, shape), dtype }) as Problem);
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
  { op, dtype, profile }: BestQuery,
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
      WHERE v."op" = ${op}::"Op" AND v."dtype" = ${dtype}::"Dtype"
        AND v."profile" = ${profile}::"Profile" AND v."shape" = ${shapeText(problem)}
        AND v."unranked" IS NULL AND ${where}
    ) AS part
    GROUP BY part."address"
    ORDER BY "partOfBest" DESC, "devices" DESC, part."address"`;
  const most = Math.max(...candidates.map(({ devices }) => devices));
  const isWide = ({ devices }: Candidate) => 2 * devices >= most;
  return [...candidates.filter(isWide), ...candidates.filter((each) => !isWide(each))];
}

type Decided = Omit<
  BestVariant,
  'fallback' | 'asked' | 'measured' | 'isExact' | 'profile' | 'shipped'
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
  const measured = {
    op: run.op,
    shape: parseShape(run.op, run.shape),
    dtype: run.dtype,
  } as Problem;
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
