import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { NotAdmitted, Refused, type WorkerDescription } from '../../link/link';
import type { WorkingState } from '../../link/wire';
import { deviceKey } from '../../measure/device';
import type { WantedState, Worker } from '../../view/api';
import { LimitReached } from '../errors';
import { OPERATOR, speaksFor } from '../gate/parties';
import { type AuditNote, noted } from './audit';
import { notifySweep } from './changes';
import { toJson, withoutWaitingForDisk } from './database';
import { isLost, LOST_AFTER_MS, listQueues, listWorkers } from './fleet';

/** A worker that may not go on, and the runs that it had in hand. */
export interface CutOff {
  readonly workerId: string;
  readonly released: readonly { id: string; deviceKey: string }[];
}

interface Heartbeat {
  readonly workerId: string;
  readonly state: WorkingState;
}

interface AttachingWorker extends WorkerDescription {
  /** What it attaches with; absent: it runs on the grid's own account. */
  readonly tokenId?: string;
  readonly note?: AuditNote | undefined;
}

export function workersOf(db: PrismaClient) {
  return {
    /**
     * Registers device and worker. `released`: the runs that the worker had in hand when it ended
     * without a word. Throws NotAdmitted where the token does not let it in: it has ended, or this
     * worker, or another that attached with it, was revoked.
     */
    attach(worker: AttachingWorker) {
      const { name, host, version, identity, capabilities, instance } = worker;
      const { contributed = false, tokenId = null, note } = worker;
      const key = deviceKey(identity);
      const { device, ...rest } = identity;
      return db.$transaction(async (tx) => {
        if (tokenId !== null && (await isBarred(tx, tokenId, instance))) {
          throw new NotAdmitted(
            'This worker was revoked, or its token, or another worker that attached with that. To let it in, make a new token for it.',
          );
        }
        const fields = { ...rest, name: device, capabilities: toJson(capabilities) };
        const [party = null] = await tx.$queryRaw<{ id: string }[]>`
          SELECT party_of_token(${tokenId}::text) AS "id"`;
        const ownedBy = party?.id ?? null;
        if (ownedBy !== OPERATOR) await checkNewDevice(tx, key, ownedBy);
        // Of several workers that insert at once, exactly one sees that the device is new.
        const { count } = await tx.device.createMany({
          data: [{ key, ...fields, ownedBy }],
          skipDuplicates: true,
        });
        if (count === 0) await describe(tx, key, { ...fields, ownedBy });
        // A lost worker with the same name and token is this one, back again: take it off the list.
        await tx.$executeRaw`
          UPDATE "Worker" AS w SET "detachedAt" = now()
          WHERE w."deviceKey" = ${key} AND w."name" = ${name} AND w."host" = ${host}
            AND w."tokenId" IS NOT DISTINCT FROM ${tokenId}::text
            AND w."detachedAt" IS NULL AND ${isLost('w')}`;
        const described = { name, host, version, deviceKey: key, tokenId, contributed };
        const workerId = await attachedAs(tx, described, instance);
        const released = await releaseRuns(tx, workerId, true);
        await noted(tx, note, workerId);
        return { workerId, deviceKey: key, party: ownedBy ?? OPERATOR, released };
      });
    },

    /** The attached workers that a token let in and that were heard of lately, by their ids. */
    async admitted(): Promise<ReadonlyMap<string, { deviceKey: string; tokenId: string }>> {
      const rows = await db.$queryRaw<{ id: string; deviceKey: string; tokenId: string }[]>`
        ${PREPARED} SELECT "id", "deviceKey", "tokenId" FROM "Worker"
        WHERE "detachedAt" IS NULL AND "revokedAt" IS NULL AND "tokenId" IS NOT NULL
          AND "lastHeartbeatAt" > now() - ${LOST_AFTER_MS} * interval '1 ms'`;
      return new Map(rows.map(({ id, ...worker }) => [id, worker]));
    },

    /**
     * The device of a worker that may go on: attached, and with this token. Throws NotAdmitted for any
     * other, and Refused at `worker` for one to attach again.
     */
    async deviceOf(workerId: string, tokenId: string): Promise<string> {
      const [worker] = await db.$queryRaw<
        { deviceKey: string; isRevoked: boolean; isDetached: boolean }[]
      >`
        ${PREPARED} SELECT "deviceKey", "revokedAt" IS NOT NULL AS "isRevoked",
          "detachedAt" IS NOT NULL AS "isDetached"
        FROM "Worker" WHERE "id" = ${workerId} AND "tokenId" = ${tokenId}`;
      if (!worker) throw new NotAdmitted(`This token has attached no worker ${workerId}.`);
      if (worker.isRevoked) {
        throw new NotAdmitted('This worker was revoked. To let it in, make a new token for it.');
      }
      if (worker.isDetached) {
        throw new Refused('This worker is no longer attached: attach it again.', 'worker');
      }
      return worker.deviceKey;
    },

    /**
     * Without one for `LOST_AFTER_MS` a worker is shown as `lost` and its run may be taken over.
     * Resolves to what an admin wants of each worker.
     */
    async heartbeat(beats: readonly Heartbeat[]): Promise<WantedState[]> {
      const ids = beats.map(({ workerId }) => workerId);
      const states = beats.map(({ state }) => state);
      const rows = await db.$queryRaw<{ id: string; wanted: WantedState }[]>`
        ${PREPARED} WITH locked AS (
          SELECT w."id", asked."state"
          FROM unnest(${ids}::text[], ${states}::text[]) AS asked("id", "state")
          JOIN "Worker" AS w ON w."id" = asked."id" WHERE w."id" = ANY (${ids}::text[])
          ORDER BY w."id" FOR NO KEY UPDATE OF w),
        beat AS (
          UPDATE "Worker" AS w
          SET "lastHeartbeatAt" = now(), "state" = locked."state"::"WorkerState"
          FROM locked WHERE w."id" = locked."id"
          RETURNING w."id", w."deviceKey", w."wanted"::text),
        seen AS (
          UPDATE "Device" SET "lastSeenAt" = now()
          WHERE "key" IN (SELECT "deviceKey" FROM beat))
        SELECT "id", "wanted", ${withoutWaitingForDisk} FROM beat`;
      const wanted = new Map(rows.map((row) => [row.id, row.wanted]));
      return ids.map((id) => wanted.get(id) ?? 'working');
    },

    /** Clean end: the worker is no longer listed. */
    async detach(workerId: string): Promise<void> {
      await db.$executeRaw`
        UPDATE "Worker" SET "detachedAt" = now() WHERE "id" = ${workerId} AND "detachedAt" IS NULL`;
    },

    list: () => listWorkers(db),
    /** Devices that have a worker, or runs waiting for one. */
    queues: () => listQueues(db),

    /** Tells a worker what to do from its next heartbeat on; null if it is not attached. */
    async want(workerId: string, wanted: WantedState, note?: AuditNote): Promise<Worker | null> {
      await db.$transaction(async (tx) => {
        const { count } = await tx.worker.updateMany({
          where: { id: workerId, detachedAt: null, wanted: { not: wanted } },
          data: { wanted },
        });
        if (count === 1) await noted(tx, note, workerId);
      });
      const [worker = null] = await listWorkers(db, workerId);
      return worker;
    },

    /**
     * Takes a worker off the list, gives its run back, and lets it in again only with a token made
     * later. One that runs on the grid's own account is only taken off the list, and only once it is
     * lost. Null: no such worker is attached.
     */
    revoke(workerId: string, note?: AuditNote): Promise<CutOff | 'own account' | null> {
      return db.$transaction(async (tx) => {
        // If two revoke it at once, the second waits here and then finds it detached.
        const [worker] = await tx.$queryRaw<{ tokenId: string | null; isLost: boolean }[]>`
          SELECT w."tokenId", ${isLost('w')} AS "isLost"
          FROM "Worker" AS w WHERE w."id" = ${workerId} AND w."detachedAt" IS NULL
          FOR NO KEY UPDATE OF w`;
        if (!worker) return null;
        if (worker.tokenId === null && !worker.isLost) return 'own account';
        await tx.$executeRaw`
          WITH revoked AS (
            UPDATE "Worker" SET "detachedAt" = now(), "revokedAt" = now() WHERE "id" = ${workerId}
            RETURNING "tokenId")
          UPDATE "Token" SET "closedAt" = now() FROM revoked WHERE "id" = revoked."tokenId"`;
        const released = await releaseRuns(tx, workerId, false);
        await noted(tx, note, workerId);
        return { workerId, released };
      });
    },

    /** Takes those off the list whose token has ended, and gives their runs back. */
    endAccess(): Promise<CutOff[]> {
      return db.$transaction(async (tx) => {
        const ended = await tx.$queryRaw<{ id: string }[]>`
          UPDATE "Worker" AS w SET "detachedAt" = now() FROM "Token" AS t
          WHERE t."id" = w."tokenId" AND w."detachedAt" IS NULL
            AND (t."revokedAt" IS NOT NULL OR t."expiresAt" <= now())
          RETURNING w."id"`;
        const cutOff: CutOff[] = [];
        for (const { id } of ended) {
          cutOff.push({ workerId: id, released: await releaseRuns(tx, id, false) });
        }
        return cutOff;
      });
    },
  };
}

/** Devices that tokens may make known to the grid within a day: each, and all together. */
export const NEW_DEVICES = { perToken: 16, inSum: 256 };

/**
 * Throws LimitReached for a device new to the grid where its token, or all of them, have brought as
 * many as they may: a worker can call its device anything, and each is given the standard suites.
 */
async function checkNewDevice(
  tx: Prisma.TransactionClient,
  key: string,
  party: string | null,
): Promise<void> {
  if (await tx.device.findUnique({ where: { key }, select: { key: true } })) return;
  // One at a time, so that they are counted and kept in one step.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('new devices'))`;
  const [made] = await tx.$queryRaw<{ ofParty: number; all: number }[]>`
    SELECT count(*) FILTER (WHERE "ownedBy" = ${party})::int AS "ofParty", count(*)::int AS "all"
    FROM "Device" WHERE "ownedBy" <> ${OPERATOR} AND "firstSeenAt" > now() - interval '1 day'`;
  const { perToken, inSum } = NEW_DEVICES;
  const over =
    (made?.ofParty ?? 0) >= perToken
      ? `This token has attached ${perToken} devices new to the grid`
      : (made?.all ?? 0) >= inSum
        ? `Tokens have attached ${inSum} devices new to the grid`
        : null;
  if (!over) return;
  throw new LimitReached(
    `${over} within a day, the most that it takes: try again later, or attach with an admin's token.`,
    3_600,
  );
}

/**
 * Whether the token does not let the worker of this name in: it was revoked after the token was
 * made, or is new to a token of which a worker was revoked, or the token has ended.
 */
async function isBarred(
  tx: Prisma.TransactionClient,
  tokenId: string,
  instance: string | undefined,
): Promise<boolean> {
  // The token cannot end before this transaction does.
  const [token] = await tx.$queryRaw<{ isBarred: boolean }[]>`
    SELECT (w."revokedAt" >= t."createdAt"
      OR t."revokedAt" IS NOT NULL OR t."expiresAt" <= now()
      OR (t."closedAt" IS NOT NULL AND w."tokenId" IS DISTINCT FROM t."id")) IS TRUE AS "isBarred"
    FROM "Token" AS t LEFT JOIN "Worker" AS w ON w."instance" = ${instance ?? null}
    WHERE t."id" = ${tokenId} FOR SHARE OF t`;
  return token?.isBarred ?? true;
}

/**
 * A device that is attached again is described again by the party it belongs to; the machine of any
 * other is one more of the model. Throws InputError for one of another class, which would compete
 * elsewhere.
 */
async function describe(
  tx: Prisma.TransactionClient,
  key: string,
  fields: Omit<Prisma.DeviceUncheckedCreateInput, 'key'> & { readonly ownedBy: string | null },
): Promise<void> {
  const known = await tx.device.findUniqueOrThrow({
    where: { key },
    select: { class: true, ownedBy: true },
  });
  const { ownedBy: party } = fields;
  if (party !== null && speaksFor(party, known.ownedBy)) {
    await tx.device.update({ where: { key }, data: fields });
  } else if (known.class !== fields.class) {
    throw new InputError(
      `The grid knows ${key} as ${known.class}, not as ${fields.class}.`,
      'identity.class',
    );
  }
}

/**
 * A worker's runs in hand wait again.
 *
 * @param mayEnd whether it may still end them: the results may be in its journal
 */
async function releaseRuns(
  tx: Prisma.TransactionClient,
  workerId: string,
  mayEnd: boolean,
): Promise<{ id: string; deviceKey: string }[]> {
  const rows = await tx.$queryRaw<{ id: string; deviceKey: string; sweepId: string }[]>`
    UPDATE "Run" SET "state" = 'pending', "workerId" = ${mayEnd ? workerId : null}
    WHERE "state" = 'running' AND "workerId" = ${workerId}
    RETURNING "id", "deviceKey", "sweepId"`;
  for (const sweepId of new Set(rows.map((row) => row.sweepId))) await notifySweep(tx, sweepId);
  return rows.map(({ id, deviceKey: key }) => ({ id, deviceKey: key }));
}

type NewWorker = Record<'name' | 'host' | 'version' | 'deviceKey', string> & {
  readonly tokenId: string | null;
  readonly contributed: boolean;
};

/** The row of a process that attaches: its own from last time, or a new one. */
async function attachedAs(
  tx: Prisma.TransactionClient,
  fields: NewWorker,
  instance: string | undefined,
): Promise<string> {
  const again = instance === undefined ? null : await tx.worker.findUnique({ where: { instance } });
  const isSame = again?.deviceKey === fields.deviceKey;
  // Results name the worker that measured them, so another device needs another row.
  if (again && !isSame) {
    await tx.worker.update({ where: { id: again.id }, data: { instance: null } });
  }
  const { id } = isSame
    ? await tx.worker.update({ where: { id: again.id }, data: fields, select: { id: true } })
    : await tx.worker.create({
        data: {
          ...fields,
          instance: instance ?? null,
          ...(await wantedBefore(tx, fields)),
        },
      });
  await tx.$executeRaw`
    UPDATE "Worker" SET "attachedAt" = now(), "lastHeartbeatAt" = now(), "state" = 'idle',
      "detachedAt" = NULL, "revokedAt" = NULL
    WHERE "id" = ${id}`;
  return id;
}

/** What an admin wants of it stays until an admin changes it. */
function wantedBefore(
  tx: Prisma.TransactionClient,
  { name, host, deviceKey: key }: NewWorker,
): Promise<{ wanted: WantedState } | null> {
  return tx.worker.findFirst({
    where: { deviceKey: key, name, host },
    orderBy: { attachedAt: 'desc' },
    select: { wanted: true },
  });
}
