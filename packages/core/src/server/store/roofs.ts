import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, ifValid } from '@tilemark/kernels';
import { checkSurvey, dataSheetOf } from '../../measure/data-sheet';
import type { DeviceClass, Profile } from '../../measure/device';
import { bestOf } from '../../measure/proved-rates';
import type { RooflineSurvey } from '../../measure/roofline';
import { IMPLAUSIBLE } from '../../measure/trust';
import type { RooflineRecord } from '../../view/api';
import { moveBests } from './boards/headlines';
import { outcomeColumns, restoreOutcome, runOf } from './columns';
import { admitStored } from './contributed-runs';
import { canonicalJson, fromJson, toJson } from './database';
import { judged, WIDE } from './judge';
import { OPERATOR, partyOf, speaksFor } from './parties';

interface Surveyed {
  readonly deviceKey: string;
  readonly profile: Profile;
  readonly workerId: string;
  readonly survey: RooflineSurvey;
}

/** What devices can do at most, as their workers' probes found it. */
export function rooflinesOf(db: PrismaClient) {
  return {
    /**
     * Keeps a survey, and raises the device's roof by it if its party may. Throws InputError for
     * rates that the model's data sheet rules out, and for a worker of another device.
     */
    record: ({ deviceKey, profile, workerId, survey }: Surveyed): Promise<void> =>
      db.$transaction(async (tx) => {
        // One survey of a device at a time.
        const [row] = await tx.$queryRaw<SurveyedDevice[]>`
          SELECT device."name", device."class"::text, device."ownedBy", w."deviceKey",
            ${partyOf('w')} AS "party"
          FROM "Device" AS device, "Worker" AS w
          WHERE device."key" = ${deviceKey} AND w."id" = ${workerId} FOR UPDATE OF device`;
        if (row?.deviceKey !== deviceKey) {
          throw new InputError(`The worker's device is not ${deviceKey}.`, 'deviceKey');
        }
        const sheet = dataSheetOf({ device: row.name, class: row.class });
        if (sheet) checkSurvey(sheet, survey);
        await tx.roofline.create({
          data: { deviceKey, profile, workerId, content: toJson(survey) },
        });
        if (!speaksFor(row.party, row.ownedBy)) return;
        const where = { deviceKey_profile: { deviceKey, profile } };
        const current = await tx.roof.findUnique({ where });
        if (current?.workerId && current.party === OPERATOR && row.party !== OPERATOR) return;
        // The best that a party has proved; the operator's takes the place of another's.
        const isKept = current?.party === row.party;
        const proved = isKept ? bestOf(fromJson(current.content), survey) : survey;
        const best = await bestOfProfiles(tx, { deviceKey, profile, party: row.party }, proved);
        const fields = {
          content: toJson(best),
          party: row.party,
          workerId,
          measuredAt: new Date(),
        };
        await tx.roof.upsert({
          where,
          create: { deviceKey, profile, ...fields },
          update: fields,
        });
        await judgeAgain(tx, { deviceKey, profile, device: row, roof: best, isRaised: isKept });
        await raiseOthers(tx, { deviceKey, profile, device: row, party: row.party, roof: best });
      }),

    /**
     * Judges again what an earlier release did not rank for its wide interval alone, for a data
     * folder that it made. Resolves with the number of devices and profiles that had any.
     */
    async judgeEarlier(): Promise<number> {
      const wide = await db.$queryRaw<{ deviceKey: string; profile: Profile }[]>`
        SELECT DISTINCT run."deviceKey", run."profile"::text
        FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
        WHERE starts_with(result."unranked", ${WIDE})`;
      for (const { deviceKey, profile } of wide) {
        await db.$transaction(async (tx) => {
          const device = await lockDevice(tx, deviceKey);
          if (!device) return;
          const row = await tx.roof.findUnique({
            where: { deviceKey_profile: { deviceKey, profile } },
          });
          const roof = row ? fromJson<RooflineSurvey>(row.content) : undefined;
          await judgeAgain(tx, { deviceKey, profile, device, roof, isRaised: true });
        });
      }
      return wide.length;
    },

    /**
     * Gives each profile of a device the best that any has proved, as `record` does since, for a data
     * folder of an earlier release.
     */
    async levelEarlier(): Promise<void> {
      const rows = await db.roof.findMany({ orderBy: [{ deviceKey: 'asc' }, { profile: 'asc' }] });
      for (const { content, deviceKey, party, profile } of rows) {
        await db.$transaction(async (tx) => {
          const device = await lockDevice(tx, deviceKey);
          if (!device) return;
          await raiseOthers(tx, { deviceKey, profile, device, party, roof: fromJson(content) });
        });
      }
    },

    /** The best of what was surveyed under each profile, with the survey that came last. */
    async latest(deviceKey: string): Promise<RooflineRecord[]> {
      const rows = await db.roof.findMany({
        where: { deviceKey },
        orderBy: { profile: 'asc' },
        include: { worker: { select: { id: true, name: true } } },
      });
      return rows.flatMap(({ content, measuredAt, profile, worker }) => {
        if (!worker) return [];
        const survey = fromJson<RooflineSurvey>(content);
        return [{ ...survey, profile, measuredAt: measuredAt.toISOString(), worker }];
      });
    },

    /** The device's roof under each profile that has one, be it from surveys or from results. */
    async roofs(deviceKey: string): Promise<ReadonlyMap<Profile, RooflineSurvey>> {
      const rows = await db.roof.findMany({ where: { deviceKey } });
      return new Map(rows.map(({ content, profile }) => [profile, fromJson(content)]));
    },
  };
}

interface SurveyedDevice {
  readonly name: string;
  readonly class: DeviceClass;
  readonly ownedBy: string | null;
  /** Of the worker. */
  readonly deviceKey: string;
  readonly party: string;
}

/** Raises the roof of a device that no survey has proved by what results of the operator state. */
export async function raiseByResults(
  tx: Prisma.TransactionClient,
  deviceKey: string,
  profile: Profile,
  stated: RooflineSurvey,
): Promise<void> {
  if (stated.copies.length + stated.peaks.length === 0) return;
  const device = await lockDevice(tx, deviceKey);
  if (!device) return;
  const where = { deviceKey_profile: { deviceKey, profile } };
  const current = await tx.roof.findUnique({ where });
  if (current?.workerId) return;
  const proved = current ? bestOf(fromJson(current.content), stated) : stated;
  const best = await bestOfProfiles(tx, { deviceKey, profile, party: OPERATOR }, proved);
  if (current && canonicalJson(best) === canonicalJson(current.content)) return;
  await tx.roof.upsert({
    where,
    create: { deviceKey, profile, content: toJson(best), party: OPERATOR },
    update: { content: toJson(best), measuredAt: new Date() },
  });
  await judgeAgain(tx, { deviceKey, profile, device, roof: best, isRaised: true });
  await raiseOthers(tx, { deviceKey, profile, device, party: OPERATOR, roof: best });
}

/** The place of a roof, and whose it is. */
interface RoofOf {
  readonly deviceKey: string;
  readonly profile: Profile;
  readonly party: string;
}

/**
 * What a party has proved under a profile, or it or the operator under another: toggles do not change
 * what the device can do, but what runs beside a probe does.
 */
async function bestOfProfiles(
  tx: Prisma.TransactionClient,
  { deviceKey, party, profile }: RoofOf,
  proved: RooflineSurvey,
): Promise<RooflineSurvey> {
  const others = await tx.roof.findMany({
    where: { deviceKey, profile: { not: profile }, party: { in: [party, OPERATOR] } },
  });
  return others.reduce((best, { content }) => bestOf(fromJson(content), best), proved);
}

/** Raises the roofs of a device under other profiles by one that has moved. */
async function raiseOthers(
  tx: Prisma.TransactionClient,
  {
    device,
    deviceKey,
    party,
    profile,
    roof,
  }: RoofOf &
    Pick<MovedRoof, 'device'> & {
      readonly roof: RooflineSurvey;
    },
): Promise<void> {
  const others = await tx.roof.findMany({
    where: {
      ...{ deviceKey, profile: { not: profile } },
      ...(party !== OPERATOR && { party }),
    },
  });
  for (const other of others) {
    const best = bestOf(roof, fromJson(other.content));
    if (canonicalJson(best) === canonicalJson(other.content)) continue;
    await tx.roof.update({
      where: { deviceKey_profile: { deviceKey, profile: other.profile } },
      data: { content: toJson(best) },
    });
    await judgeAgain(tx, { deviceKey, profile: other.profile, device, roof: best, isRaised: true });
  }
}

/** Holds the device's row until the transaction ends: its roof moves for one at a time. */
async function lockDevice(
  tx: Prisma.TransactionClient,
  key: string,
): Promise<MovedRoof['device'] | undefined> {
  const [device] = await tx.$queryRaw<MovedRoof['device'][]>`
    SELECT "name", "class"::text FROM "Device" WHERE "key" = ${key} FOR UPDATE`;
  return device;
}

interface MovedRoof {
  readonly deviceKey: string;
  readonly profile: Profile;
  readonly device: Pick<SurveyedDevice, 'name' | 'class'>;
  /** Undefined: the grid knows none. */
  readonly roof: RooflineSurvey | undefined;
  /** No rate of it fell. */
  readonly isRaised: boolean;
}

/**
 * Judges the device's results again after its roof has moved: what was implausible may be believed
 * under a higher one, and what was ranked may be implausible under a lower one. So is what an earlier
 * release did not rank for its wide interval.
 */
async function judgeAgain(
  tx: Prisma.TransactionClient,
  { device, deviceKey, isRaised, profile, roof }: MovedRoof,
): Promise<void> {
  const results = await tx.result.findMany({
    where: {
      medianNs: { not: null },
      run: { deviceKey, profile },
      OR: [
        ...[IMPLAUSIBLE, WIDE].map((reason) => ({ unranked: { startsWith: reason } })),
        ...(isRaised ? [] : [{ unranked: null }]),
      ],
    },
    include: { run: true, source: true },
  });
  const changed: string[] = [];
  for (const { source, run, ...row } of results) {
    await admitStored(tx, run.kernel);
    const grounds = {
      ...{ device: { device: device.name, class: device.class }, roof, leaseNs: null },
      seed: row.party === OPERATOR || row.importedBy ? null : run.seed,
      // Files do not say what ran.
      wgsl: row.importedBy ? undefined : (source?.wgsl ?? null),
      ...{ isUnvouched: false, isStored: true },
    };
    // What an earlier release kept may have a form that this one refuses: it stays as it is.
    const outcome = ifValid(() => judged(restoreOutcome(row), runOf(run), grounds, 'outcome'));
    if (outcome?.kind !== 'measured' || outcome.measurement.unranked === row.unranked) continue;
    const { outcome: kept, unranked } = outcomeColumns(outcome);
    await tx.result.update({
      where: { id: row.id },
      data: { outcome: kept, unranked: unranked ?? null },
    });
    changed.push(row.id);
  }
  await moveBests(tx, changed);
}
