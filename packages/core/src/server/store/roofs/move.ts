import type { Prisma } from '@tilemark/db';
import type { RooflineSurvey } from '../../../measure/roofline';
import { bestOf, raisedBy, statedRates } from '../../../measure/stated-rates';
import { canonicalJson, fromJson, toJson } from '../database';
import { isTrusted } from '../trust';
import { reconsider } from './reconsider';

/** Moves the roofs of the devices to which some kept surveys and statements belong. */
export async function moveRoofsOf(
  tx: Prisma.TransactionClient,
  where: Prisma.RooflineWhereInput,
): Promise<void> {
  const touched = await tx.roofline.findMany({
    where,
    distinct: ['deviceKey'],
    select: { deviceKey: true },
    orderBy: { deviceKey: 'asc' },
  });
  for (const { deviceKey } of touched) {
    await lockDevice(tx, deviceKey);
    await moveRoofs(tx, deviceKey);
  }
}

/**
 * Makes the roofs of a device, whose row the caller holds, from what trusted workers surveyed and
 * trusted results state: under all profiles together, since toggles do not change what the device can
 * do, but what runs beside a probe does. Reconsiders the results under a roof that has moved.
 */
export async function moveRoofs(tx: Prisma.TransactionClient, deviceKey: string): Promise<void> {
  const device = await tx.device.findUniqueOrThrow({
    where: { key: deviceKey },
    select: { class: true, roofs: true },
  });
  const proofs = await tx.$queryRaw<Prisma.RooflineGetPayload<object>[]>`
    SELECT proof.* FROM "Roofline" AS proof LEFT JOIN "Result" AS result ON result."id" = proof."resultId"
    WHERE proof."deviceKey" = ${deviceKey}
      AND coalesce(result."trusted", ${isTrusted('proof')}) ORDER BY proof."id"`;
  const surveys = proofs.filter(({ resultId }) => resultId === null);
  const rates = (of: typeof proofs) => of.map(({ content }) => fromJson<RooflineSurvey>(content));
  const stated = rates(proofs.filter(({ resultId }) => resultId !== null));
  const [first, ...others] = rates(surveys);
  const roof = first
    ? stated.reduce(raisedBy, others.reduce(bestOf, first))
    : stated.reduce(bestOf, statedRates([]));
  const profiles = new Set(proofs.map(({ profile }) => profile));
  await tx.roof.deleteMany({ where: { deviceKey, profile: { notIn: [...profiles] } } });
  for (const profile of profiles) {
    const isUnder = (proof: { readonly profile: typeof profile }) => proof.profile === profile;
    const { workerId = null, measuredAt } = surveys.findLast(isUnder) ?? {};
    const place = { deviceKey, profile };
    const fields = { content: toJson(roof), workerId, ...(measuredAt && { measuredAt }) };
    await tx.roof.upsert({
      where: { deviceKey_profile: place },
      create: { ...place, ...fields },
      update: fields,
    });
    const earlier = device.roofs.find(isUnder);
    if (earlier && canonicalJson(earlier.content) === canonicalJson(roof)) continue;
    const isRaised = earlier !== undefined && isWithin(fromJson(earlier.content), roof);
    await reconsider(tx, { ...place, deviceClass: device.class, isRaised }, roof);
  }
}

/** Whether no rate of a roof is above that of another. */
const isWithin = (lower: RooflineSurvey, upper: RooflineSurvey): boolean =>
  lower.peaks.every((peak) =>
    upper.peaks.some(
      ({ dtype, gigaflopsPerSecond }) =>
        dtype === peak.dtype && gigaflopsPerSecond >= peak.gigaflopsPerSecond,
    ),
  ) &&
  lower.copies.every((copy) =>
    upper.copies.some(
      ({ bytes, gigabytesPerSecond }) =>
        bytes === copy.bytes && gigabytesPerSecond >= copy.gigabytesPerSecond,
    ),
  );

/** Holds the device's row until the transaction ends: its roofs move for one at a time. */
export const lockDevice = (tx: Prisma.TransactionClient, key: string): Promise<unknown> =>
  tx.$queryRaw`SELECT FROM "Device" WHERE "key" = ${key} FOR UPDATE`;
