import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, ifValid } from '@tilemark/kernels';
import { checkSurvey, dataSheetOf } from '../../measure/data-sheet';
import type { DeviceClass, Profile } from '../../measure/device';
import { bestOf, raisedBy, statedRates } from '../../measure/proved-rates';
import type { RooflineSurvey } from '../../measure/roofline';
import { IMPLAUSIBLE } from '../../measure/trust';
import type { RooflineRecord } from '../../view/api';
import { believed } from '../gate/belief';
import { OPERATOR, ownRoofs, partyOf, roofsFor } from '../gate/parties';
import { WIDE } from '../gate/reasons';
import { moveBests } from './boards/headlines';
import { outcomeColumns, restoreOutcome, runOf } from './columns';
import { admitStored } from './contributed-runs';
import { canonicalJson, fromJson, toJson } from './database';

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
     * Keeps a survey, and raises its party's roof of the device by it. Throws InputError for rates that
     * the model's data sheet rules out, and for a worker of another device.
     */
    record: ({ deviceKey, profile, workerId, survey }: Surveyed): Promise<void> =>
      db.$transaction(async (tx) => {
        // One survey of a device at a time.
        const [row] = await tx.$queryRaw<SurveyedDevice[]>`
          SELECT device."name", device."class"::text, w."deviceKey", ${partyOf('w')} AS "party"
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
        const place = { deviceKey, profile, party: row.party };
        const current = await tx.roof.findUnique({ where: { deviceKey_profile_party: place } });
        const proved = current ? bestOf(fromJson(current.content), survey) : survey;
        await moveRoof(tx, { ...place, device: row, isRaised: current !== null }, proved, workerId);
      }),

    /**
     * Reconsiders what an earlier release did not rank for its wide interval alone, or for the roof of
     * a device that its machine shares, for a data folder that it made. Resolves with the number of
     * devices and profiles that had any.
     */
    async reconsiderEarlier(): Promise<number> {
      const wide = await db.$queryRaw<{ deviceKey: string; profile: Profile }[]>`
        SELECT DISTINCT run."deviceKey", run."profile"::text
        FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
        JOIN "Device" AS device ON device."key" = run."deviceKey"
        WHERE starts_with(result."unranked", ${WIDE}) OR (
          starts_with(result."unranked", ${IMPLAUSIBLE}) AND device."class" IN ('software', 'cpu'))`;
      for (const { deviceKey, profile } of wide) {
        await db.$transaction(async (tx) => {
          const device = await lockDevice(tx, deviceKey);
          if (!device) return;
          await reconsider(tx, { deviceKey, profile, party: OPERATOR, device, isRaised: true });
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
          const moved = { deviceKey, profile, party, device, isRaised: true };
          await moveRoof(tx, moved, fromJson(content));
        });
      }
    },

    /**
     * The best of what was surveyed under each profile, with the survey that came last: of the roofs
     * that hold for a party, or that are shown of the device.
     */
    async latest(deviceKey: string, party?: string): Promise<RooflineRecord[]> {
      const rows = await db.roof.findMany({
        where: { deviceKey },
        orderBy: { profile: 'asc' },
        include: {
          worker: { select: { id: true, name: true } },
          device: { select: { ownedBy: true } },
        },
      });
      const shown = party === undefined ? ownRoofs(rows) : roofsFor(rows, party);
      return shown.flatMap(({ content, measuredAt, profile, worker }) => {
        if (!worker) return [];
        const survey = fromJson<RooflineSurvey>(content);
        return [{ ...survey, profile, measuredAt: measuredAt.toISOString(), worker }];
      });
    },

    /** The roof that holds for a party under each profile that has one, from surveys or from results. */
    async roofs(
      deviceKey: string,
      party: string | null,
    ): Promise<ReadonlyMap<Profile, RooflineSurvey>> {
      const rows = roofsFor(await db.roof.findMany({ where: { deviceKey } }), party);
      return new Map(rows.map(({ content, profile }) => [profile, fromJson(content)]));
    },
  };
}

interface SurveyedDevice {
  readonly name: string;
  readonly class: DeviceClass;
  /** Of the worker. */
  readonly deviceKey: string;
  readonly party: string;
}

/**
 * Raises a party's roof by what results state that its workers probed beside them. Only the operator's
 * results make a roof where there is none.
 */
export async function raiseByResults(
  tx: Prisma.TransactionClient,
  { deviceKey, party, profile }: RoofOf,
  results: Parameters<typeof statedRates>[0],
): Promise<void> {
  const place = { deviceKey, profile, party };
  const stated = statedRates(results);
  if (stated.copies.length + stated.peaks.length === 0) return;
  const device = await lockDevice(tx, deviceKey);
  if (!device) return;
  const sheet = dataSheetOf({ device: device.name, class: device.class });
  if (sheet && !ifValid(() => checkSurvey(sheet, stated) ?? true)) return;
  const current = await tx.roof.findUnique({ where: { deviceKey_profile_party: place } });
  if (!current && party !== OPERATOR) return;
  const proved = current ? raisedBy(fromJson(current.content), stated) : stated;
  await moveRoof(tx, { ...place, device, isRaised: true }, proved);
}

/** The place of a roof, and whose it is. */
interface RoofOf {
  readonly deviceKey: string;
  readonly profile: Profile;
  readonly party: string;
}

/**
 * Moves a party's roof to what it has proved under its profile, or under another: toggles do not change
 * what the device can do, but what runs beside a probe does. Its other roofs of the device follow.
 *
 * @param workerId that has just surveyed the device; absent: results state it
 */
async function moveRoof(
  tx: Prisma.TransactionClient,
  moved: MovedRoof,
  proved: RooflineSurvey,
  workerId?: string,
): Promise<void> {
  const { deviceKey, party, profile } = moved;
  const others = await tx.roof.findMany({
    where: { deviceKey, party, profile: { not: profile } },
  });
  const best = others.reduce((best, { content }) => bestOf(fromJson(content), best), proved);
  await keepRoof(tx, moved, best, workerId);
  for (const other of others) {
    const raised = { ...moved, profile: other.profile, isRaised: true };
    await keepRoof(tx, raised, bestOf(best, fromJson(other.content)));
  }
}

/** Writes a roof, unless it has not moved and nobody has surveyed it, and reconsiders what it holds for. */
async function keepRoof(
  tx: Prisma.TransactionClient,
  { device, isRaised, ...place }: MovedRoof,
  roof: RooflineSurvey,
  workerId?: string,
): Promise<void> {
  const where = { deviceKey_profile_party: place };
  const current = await tx.roof.findUnique({ where });
  const isSame = current && canonicalJson(roof) === canonicalJson(current.content);
  if (isSame && workerId === undefined) return;
  const content = toJson(roof);
  const fields =
    workerId === undefined ? { content } : { content, workerId, measuredAt: new Date() };
  await tx.roof.upsert({ where, create: { ...place, ...fields }, update: fields });
  await reconsider(tx, { ...place, device, isRaised });
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

interface MovedRoof extends RoofOf {
  readonly device: Pick<SurveyedDevice, 'name' | 'class'>;
  /** No rate of it fell. */
  readonly isRaised: boolean;
}

/**
 * Reconsiders the results that a roof holds for after it has moved: what was implausible may be
 * believed under a higher one, and what was ranked may be implausible under a lower one. So is what an
 * earlier release did not rank for its wide interval.
 */
async function reconsider(
  tx: Prisma.TransactionClient,
  { device, deviceKey, isRaised, party, profile }: MovedRoof,
): Promise<void> {
  const roofs = await tx.roof.findMany({ where: { deviceKey, profile } });
  const results = await tx.result.findMany({
    where: {
      medianNs: { not: null },
      ...(party !== OPERATOR && { party }),
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
    const [roof] = roofsFor(roofs, row.party);
    const grounds = {
      device: { device: device.name, class: device.class },
      leaseNs: null,
      roof: roof && fromJson<RooflineSurvey>(roof.content),
      isSeeded: row.party !== OPERATOR && !row.importedBy && run.seed !== null,
      // Files do not say what ran.
      wgsl: row.importedBy ? undefined : (source?.wgsl ?? null),
      isUnvouched: false,
      isStored: true,
    };
    // What an earlier release kept may have a form that this one refuses: it stays as it is.
    const outcome = ifValid(() => believed(restoreOutcome(row), runOf(run), grounds, 'outcome'));
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
