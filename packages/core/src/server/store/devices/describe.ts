import type { Prisma } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { type DeviceIdentity, engineOf } from '../../../measure/device';
import { hardwareKey } from '../../../measure/hardware';
import { LimitReached } from '../../errors';

/** The `describedBy` of all trusted workers. */
const GRID = 'grid';
const select = { class: true, describedBy: true } as const;

/** The columns of a device that its identity tells. */
export const deviceColumns = (identity: DeviceIdentity) => {
  const { device: name, ...rest } = identity;
  const engine = rest.class === 'cpu' ? null : engineOf(rest.runtime);
  return { ...rest, name, hardware: hardwareKey(identity), engine };
};

/**
 * Devices new to the grid within a day: of an untrusted token, of all that an invite made, and of all
 * invites of a member. So nobody uses up what others have.
 */
export const NEW_DEVICES = { token: 8, invite: 64, member: 256 } as const;

/**
 * Makes a device known that a worker attaches. One that is known is described again by a trusted worker,
 * or by the token that described it; where only files have, by anybody until a result of it decides. The
 * machine of any other is one more of the model. Throws InputError for one of another class, which would
 * compete elsewhere; LimitReached.
 *
 * @param untrusted the token of the worker; null: it is trusted
 */
export async function describeDevice(
  tx: Prisma.TransactionClient,
  key: string,
  fields: Omit<Prisma.DeviceUncheckedCreateInput, 'key' | 'describedBy'>,
  untrusted: string | null,
): Promise<void> {
  if (untrusted !== null) await checkNewDevice(tx, key, untrusted);
  const data = { ...fields, describedBy: untrusted ?? GRID };
  // Of several workers that insert at once, exactly one sees that the device is new.
  const { count } = await tx.device.createMany({ data: [{ key, ...data }], skipDuplicates: true });
  if (count > 0) return;
  const known = await tx.device.findUniqueOrThrow({
    where: { key },
    select,
  });
  const mayDescribe =
    untrusted === null ||
    known.describedBy === untrusted ||
    (known.describedBy === null && !(await isDecided(tx, key)));
  if (mayDescribe) {
    // To count it among those new within a day.
    const isNew = untrusted !== null && known.describedBy === null;
    await tx.device.update({
      where: { key },
      data: { ...data, ...(isNew && { firstSeenAt: new Date() }) },
    });
  } else if (known.class !== fields.class) {
    throw new InputError(
      `The grid knows ${key} as ${known.class}, not as ${fields.class}.`,
      'identity.class',
    );
  }
}

/**
 * Throws LimitReached for a device new to the grid where its token has brought as many as it may, or its
 * invite, or the member behind that: a worker can call its device anything, and each gets the standard suites.
 */
async function checkNewDevice(
  tx: Prisma.TransactionClient,
  key: string,
  tokenId: string,
): Promise<void> {
  if ((await tx.device.findUnique({ where: { key }, select }))?.describedBy) return;
  // One at a time, so that they are counted and kept in one step.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('new devices'))`;
  const [brought] = await tx.$queryRaw<Record<keyof typeof NEW_DEVICES, number>[]>`
    WITH sender AS (
      SELECT t."id", t."inviteId", COALESCE(i."createdById", t."id") AS "memberId"
      FROM "Token" AS t LEFT JOIN "Invite" AS i ON i."id" = t."inviteId")
    SELECT count(*) FILTER (WHERE other."id" = own."id")::int AS "token",
      count(*) FILTER (WHERE other."inviteId" = own."inviteId")::int AS "invite",
      count(*)::int AS "member"
    FROM "Device" AS device JOIN sender AS other ON other."id" = device."describedBy"
    JOIN sender AS own ON own."memberId" = other."memberId"
    WHERE own."id" = ${tokenId} AND device."firstSeenAt" > now() - interval '1 day'`;
  const all = ['token', 'invite', 'member'] as const;
  const over = all.find((who) => (brought?.[who] ?? 0) >= NEW_DEVICES[who]);
  if (!over) return;
  throw new LimitReached(
    `This ${over} has attached ${NEW_DEVICES[over]} devices new to the grid within a day, the most that it takes: try again later, or attach with a trusted token.`,
    3_600,
  );
}

/** Devices new to the grid within a day, of an untrusted token's files. */
export const NEW_IN_FILES = 32;

/** Throws LimitReached where the files of an untrusted token have named more. */
export async function checkNamedDevices(
  tx: Prisma.TransactionClient,
  tokenId: string,
): Promise<void> {
  const [named] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(DISTINCT device."key")::int FROM "Sweep" AS s
    JOIN "Run" AS r ON r."sweepId" = s."id" JOIN "Device" AS device ON device."key" = r."deviceKey"
    WHERE s."imported" AND s."createdById" = ${tokenId} AND device."describedBy" IS NULL
      AND s."createdAt" > now() - interval '1 day' AND device."firstSeenAt" > now() - interval '1 day'`;
  if ((named?.count ?? 0) <= NEW_IN_FILES) return;
  throw new LimitReached(
    `Files imported with this token named more than ${NEW_IN_FILES} devices new to the grid within a day: try again later, or import with a trusted token.`,
    3_600,
  );
}

/** Whether a result of the device decides. */
const isDecided = async (tx: Prisma.TransactionClient, deviceKey: string): Promise<boolean> =>
  (await tx.result.findFirst({
    where: { trusted: true, run: { deviceKey } },
    select: { id: true },
  })) !== null;
