import { Prisma, type PrismaClient } from '@tilemark/db';
import type { DeviceCapabilities, Environment } from '../../../measure/device';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import type { Evidence } from '../../../tune/best';
import type { Gpu } from '../../../tune/gpus';
import { type Kind, learnedFrom, shippedFor } from '../../../tune/shipped-evidence';
import { STANDING } from '../columns';
import { fromJson } from '../database';
import { type LearnedHere, learnedOn } from './learned';

/** The evidence on a GPU; `version` changes with it. */
interface EvidenceHere extends Evidence {
  readonly version: string;
}

/** Most devices that answer for one like them: those with the most results. */
const MOST_ALIKE = 4;

/**
 * The devices whose times count for a GPU: its own; where there are none those of its architecture, or else
 * of its vendor. Where none is named, those of every GPU of the grid.
 */
export async function evidenceOn(
  db: PrismaClient,
  gpu: Gpu | null,
  kind: Kind,
): Promise<EvidenceHere> {
  const key = gpu && gpu.from !== 'vendor' ? gpu.id : null;
  const device = key === null ? null : await db.device.findUnique({ where: { key } });
  const own = key === null ? null : await learnedOn(db, key, kind);
  const limits = device && (await limitsOf(db, device, kind, own));
  const known = { limits, isHost: device?.class === 'cpu' };
  const found = (basis: Evidence['basis'], some: readonly LearnedHere[]): EvidenceHere => ({
    ...{ ...known, basis, learned: some.map(({ learned }) => learned) },
    version: JSON.stringify([basis, limits, ...some.map(({ version }) => version)]),
  });
  if (own) return found('device', [own]);
  const [named, rest] = gpu?.id.split('/') ?? [];
  const vendor = device?.vendor ?? named;
  const architecture = device?.architecture ?? rest;
  const engine = device?.engine ?? 'tint';
  if (known.isHost) return found('device', []);
  if (vendor && architecture) {
    const alike = await learnedAlike(db, { vendor, architecture, engine }, kind);
    if (alike.length > 0) return found('architecture', alike);
  }
  return found(vendor ? 'vendor' : 'any', await learnedAlike(db, { vendor, engine }, kind));
}

/** The times of a vendor's GPUs under an engine, here or as they ship; of all of the grid where none is named. */
async function learnedAlike(
  db: PrismaClient,
  {
    vendor,
    architecture,
    engine,
  }: {
    readonly vendor?: string | undefined;
    readonly architecture?: string;
    readonly engine: string;
  },
  kind: Kind,
): Promise<LearnedHere[]> {
  const { op, dtype, profile } = kind;
  const isOf = (column: string, value: string | undefined) =>
    value
      ? Prisma.sql`AND lower(device.${Prisma.raw(`"${column}"`)}) = lower(${value})`
      : Prisma.empty;
  const devices = await db.$queryRaw<{ key: string; class: string }[]>`
    SELECT device."key", device."class"::text FROM "VariantBest" AS best
      JOIN "Device" AS device ON device."key" = best."deviceKey"
    WHERE best."op" = ${op} AND best."dtype" = ${dtype} AND best."profile" = ${profile}::"Profile"
      AND best."methodology" = ${METHODOLOGY_VERSION}::int AND best."standing" = ${STANDING.ranked}
      AND NOT best."contributed" AND device."engine" = ${engine} ${isOf('vendor', vendor)} ${isOf('architecture', architecture)}
    GROUP BY device."key", device."class"
    ORDER BY device."class" = 'software', count(*) DESC, device."key" LIMIT ${MOST_ALIKE}`;
  // A CPU says nothing of GPUs.
  const [first] = devices;
  const alike = devices.filter(
    (device) => (device.class === 'software') === (first?.class === 'software'),
  );
  const here = await Promise.all(alike.map(({ key }) => learnedOn(db, key, kind)));
  const file = vendor && engine === 'tint' ? shippedFor({ vendor, architecture }, kind) : null;
  const shipped = file && { learned: learnedFrom(file, profile), version: 'shipped' };
  return [...here, shipped].filter((some) => some !== null);
}

/**
 * The limits of a device under a profile: its results show the features, more of them under `fast`. Without a
 * result, it has what a model that ships was timed with.
 */
async function limitsOf(
  db: PrismaClient,
  { capabilities, key }: { readonly capabilities: Prisma.JsonValue; readonly key: string },
  { profile }: Kind,
  own: LearnedHere | null,
): Promise<Evidence['limits']> {
  const best = await db.variantBest.findFirst({
    where: { deviceKey: key, profile, isBest: true },
    select: { result: { select: { environment: true } } },
    orderBy: { result: { endedAt: 'desc' } },
  });
  const attached = fromJson<DeviceCapabilities>(capabilities);
  const seen = best && fromJson<Environment>(best.result.environment.content).capabilities;
  const isOfModel = own?.version === 'shipped' && own.learned.profile === profile;
  return { ...attached, features: seen?.features ?? (isOfModel ? null : attached.features) };
}
