import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Engine } from '@tilemark/kernels';
import type { DeviceCapabilities, Environment } from '../../../measure/device';
import { engineOfKey, hardwareOfKey } from '../../../measure/hardware';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import { type Evidence, engineFor } from '../../../tune/best';
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
 * The devices whose times under an engine count for a GPU: its own; where there are none those of its
 * architecture, or else of its vendor. Where none is named, those of every GPU of the grid. Beside those
 * of another engine, those under Tint, for their order.
 */
export async function evidenceOn(
  db: PrismaClient,
  gpu: Gpu | null,
  kind: Kind,
  asked?: Engine,
): Promise<EvidenceHere> {
  const engine = engineFor(asked, gpu);
  const key = gpu && gpu.from !== 'vendor' ? gpu.id : null;
  const device = key === null ? null : await db.device.findUnique({ where: { key } });
  const { basis, some } = await timesFor(db, { gpu, key, device, engine }, kind);
  const ofTint =
    engine === 'tint' ? [] : (await timesFor(db, { gpu, key, device, engine: 'tint' }, kind)).some;
  const own = basis === 'device' ? some[0] : undefined;
  const limits = device && (await limitsOf(db, device, kind, own, engine));
  return {
    ...{ basis, engine, limits, isHost: device?.class === 'cpu' },
    learned: some.map(({ learned }) => learned),
    underTint: ofTint.map(({ learned }) => learned),
    version: JSON.stringify([basis, limits, ...[...some, ...ofTint].map(({ version }) => version)]),
  };
}

/** A GPU as it is asked about: its key and row, where it is a model and attached. */
interface Asked {
  readonly gpu: Gpu | null;
  readonly key: string | null;
  readonly device: Prisma.DeviceGetPayload<object> | null;
  readonly engine: Engine;
}

async function timesFor(
  db: PrismaClient,
  { device, engine, gpu, key }: Asked,
  kind: Kind,
): Promise<{ readonly basis: Evidence['basis']; readonly some: readonly LearnedHere[] }> {
  const own = key === null ? null : await learnedUnder(db, key, kind, engine);
  if (own || device?.class === 'cpu') return { basis: 'device', some: own ? [own] : [] };
  const [named, rest] = gpu?.id.split('/') ?? [];
  const vendor = device?.vendor ?? named;
  const architecture = device?.architecture ?? rest;
  if (vendor && architecture) {
    const alike = await learnedAlike(db, { vendor, architecture, engine }, kind);
    if (alike.length > 0) return { basis: 'architecture', some: alike };
  }
  const some = await learnedAlike(db, { vendor, engine }, kind);
  return { basis: vendor ? 'vendor' : 'any', some };
}

/** The engine that a device answers for; a host, which has none, answers for Tint. */
const engineUnder = (key: string): Engine => engineOfKey(key) ?? 'tint';

/** The times of a device's card under an engine: its own, or those of another runtime that has it. */
async function learnedUnder(
  db: PrismaClient,
  key: string,
  kind: Kind,
  engine: Engine,
): Promise<LearnedHere | null> {
  if (engineUnder(key) === engine) return learnedOn(db, key, kind);
  const twins = await db.device.findMany({
    where: { hardware: hardwareOfKey(key), engine },
    select: { key: true },
    orderBy: { key: 'asc' },
  });
  for (const twin of twins) {
    const found = await learnedOn(db, twin.key, kind);
    if (found) return found;
  }
  const file = shippedFor({ key, engine }, kind);
  return file && { learned: learnedFrom(file, kind.profile), version: 'shipped' };
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
    readonly engine: Engine;
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
  const file = vendor ? shippedFor({ vendor, architecture, engine }, kind) : null;
  const shipped = file && { learned: learnedFrom(file, profile), version: 'shipped' };
  return [...here, shipped].filter((some) => some !== null);
}

/**
 * The limits of a device under a profile and an engine: its results show the features, more of them under `fast`. Without a
 * result, it has what a model that ships was timed with.
 */
async function limitsOf(
  db: PrismaClient,
  { capabilities, key }: { readonly capabilities: Prisma.JsonValue; readonly key: string },
  { profile }: Kind,
  own: LearnedHere | undefined,
  engine: Engine,
): Promise<Evidence['limits']> {
  const best = await db.variantBest.findFirst({
    where: { deviceKey: key, profile, isBest: true },
    select: { result: { select: { environment: true } } },
    orderBy: { result: { endedAt: 'desc' } },
  });
  const attached = fromJson<DeviceCapabilities>(capabilities);
  // Another runtime offers other features of the same card.
  if (engineUnder(key) !== engine) return { ...attached, features: null };
  const seen = best && fromJson<Environment>(best.result.environment.content).capabilities;
  const isOfModel = own?.version === 'shipped' && own.learned.profile === profile;
  return { ...attached, features: seen?.features ?? (isOfModel ? null : attached.features) };
}
