import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { AccountsRefused } from '../errors';

/** The group of all enrolled workers. It holds what they are granted and cannot log in. */
const GROUP = 'tilemark_worker';

/** Enough for the connections of one worker, too few to take all that the server has. */
const CONNECTION_LIMIT = 30;

/**
 * What workers may touch; which rows, the policies of the migrations say. Columns are named
 * where the rest of the row is not theirs: what a run measures, which device a worker has, in
 * which transaction a result was written.
 */
const GRANTS = `
  REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${GROUP};
  GRANT USAGE ON SCHEMA public TO ${GROUP};
  GRANT SELECT ON "Device", "Run", "Best", "VariantBest", "Roofline" TO ${GROUP};
  GRANT SELECT ("id", "name", "deviceKey", "state", "wanted", "lastHeartbeatAt", "detachedAt")
    ON "Worker" TO ${GROUP};
  GRANT SELECT ("id", "deviceKeys", "cancelledAt") ON "Sweep" TO ${GROUP};
  GRANT SELECT ("id", "runId", "workerId", "medianNs") ON "Result" TO ${GROUP};
  GRANT UPDATE ("lastSeenAt") ON "Device" TO ${GROUP};
  GRANT UPDATE ("state", "lastHeartbeatAt", "detachedAt") ON "Worker" TO ${GROUP};
  GRANT UPDATE ("state", "workerId", "attempts", "claimedAt", "endedAt") ON "Run" TO ${GROUP};
  GRANT DELETE ON "Run" TO ${GROUP};
  GRANT INSERT ("id", "runId", "workerId", "environmentHash", "sourceHash", "outcome", "medianNs",
    "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked", "endedAt")
    ON "Result" TO ${GROUP};
  GRANT INSERT ON "Roofline", "Environment", "KernelSource" TO ${GROUP};
  GRANT INSERT, UPDATE ON "Best", "VariantBest" TO ${GROUP};`;

/**
 * BullMQ's tables, where the queue is in Postgres: the rows of the worker's own queue. Not
 * CREATE on the schema: a function put there would be run by the site, with the site's rights.
 * Notifications know no rights in Postgres: a worker could wake others, and tell them nothing.
 */
const QUEUE_GRANTS = `
  GRANT USAGE ON SCHEMA bullmq TO ${GROUP};
  GRANT SELECT ON bullmq.migration TO ${GROUP};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO ${GROUP};
  FOR queue_table IN
    SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'bullmq' AND column_name = 'queue'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON bullmq.%I TO ${GROUP}', queue_table);
    EXECUTE format('ALTER TABLE bullmq.%I ENABLE ROW LEVEL SECURITY', queue_table);
    EXECUTE format('DROP POLICY IF EXISTS own_queue ON bullmq.%I', queue_table);
    EXECUTE format('CREATE POLICY own_queue ON bullmq.%I'
      ' USING (queue = ''runs.'' || (SELECT public.own_device_key()))', queue_table);
  END LOOP;`;

/**
 * What everybody may do in a database and the product does not need. Temporary tables and large
 * objects could fill the disk; before Postgres 15 everybody may put tables and functions into
 * `public`. Where they are not the grid's to take, Postgres warns and goes on: `requireClosedSchema`
 * looks at the one that matters.
 */
const REVOKES = `
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea)
    FROM PUBLIC;`;

/** Makes the group and grants it what workers do, no more. Repeating it changes nothing. */
export async function grantGroup(tx: Prisma.TransactionClient): Promise<void> {
  // Of several that grant at once one waits for the others, and for accounts that are ended. Not
  // an advisory lock, which a worker may take too and keep.
  await tx.$executeRaw`LOCK TABLE "Enrolment" IN EXCLUSIVE MODE`;
  await tx.$executeRawUnsafe(`
    DO $do$
    DECLARE queue_table text;
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${GROUP}') THEN
        BEGIN
          CREATE ROLE ${GROUP} NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
          NULL; -- The grid of another database on this server made it at the same moment.
        END;
      END IF;
      ${REVOKES}
      ${GRANTS}
      IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bullmq') THEN
        ${QUEUE_GRANTS}
      END IF;
    END $do$`);
  await requireClosedSchema(tx);
}

/** What a worker put there could be run by the site, with the site's rights. */
async function requireClosedSchema(tx: Prisma.TransactionClient): Promise<void> {
  const [schema] = await tx.$queryRaw<{ isOpen: boolean }[]>`
    SELECT has_schema_privilege(${GROUP}, 'public', 'CREATE') AS "isOpen"`;
  if (!schema?.isOpen) return;
  throw new AccountsRefused(
    'Every user of the database may make tables and functions in it, workers too. Run as its owner: REVOKE CREATE ON SCHEMA public FROM PUBLIC',
  );
}

/** Makes a worker's role, or gives the one it has another password. */
export async function makeRole(
  tx: Prisma.TransactionClient,
  { login, password, expiresAt }: { login: string; password: string; expiresAt: Date | null },
): Promise<void> {
  const [role] = await tx.$queryRaw<object[]>`
    SELECT 1 FROM pg_roles WHERE rolname = ${login}`;
  const options = `LOGIN PASSWORD '${scramVerifier(password)}' CONNECTION LIMIT ${CONNECTION_LIMIT} VALID UNTIL '${expiresAt?.toISOString() ?? 'infinity'}'`;
  await tx.$executeRawUnsafe(
    role
      ? `ALTER ROLE "${login}" ${options}`
      : `CREATE ROLE "${login}" ${options} IN ROLE ${GROUP}`,
  );
  await joinRole(tx, login);
}

/**
 * Lets no new session of a role begin. To be committed before `endSessions`: one may begin until
 * then. Does nothing where there is no such role.
 */
export const closeRole = (tx: Prisma.TransactionClient, login: string): Promise<void> =>
  ifRole(tx, login, async () => {
    await tx.$executeRawUnsafe(`ALTER ROLE "${login}" NOLOGIN`);
    await joinRole(tx, login);
  });

/** Drops a role whose sessions have ended and what it owns; nothing where there is none. */
export const dropRole = (tx: Prisma.TransactionClient, login: string): Promise<void> =>
  ifRole(tx, login, async () => {
    await tx.$executeRawUnsafe(`DROP OWNED BY "${login}"`);
    await tx.$executeRawUnsafe(`DROP ROLE "${login}"`);
  });

async function ifRole(
  tx: Prisma.TransactionClient,
  login: string,
  work: () => Promise<void>,
): Promise<void> {
  const roles = await tx.$queryRaw<object[]>`SELECT 1 FROM pg_roles WHERE rolname = ${login}`;
  if (roles.length > 0) await work();
}

/**
 * Only members of a role may end its sessions and drop what it owns. A superuser need not be
 * one, and is none: pg_hba.conf tells workers by their membership.
 */
async function joinRole(tx: Prisma.TransactionClient, login: string): Promise<void> {
  const [own] = await tx.$queryRaw<{ rolsuper: boolean }[]>`
    SELECT "rolsuper" FROM pg_roles WHERE rolname = current_user`;
  if (!own?.rolsuper) await tx.$executeRawUnsafe(`GRANT "${login}" TO CURRENT_USER`);
}

/** Ends the sessions that a role has open. */
export async function endSessions(db: PrismaClient, login: string): Promise<void> {
  await db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${login}`;
}

/**
 * A password as Postgres keeps it (RFC 5802, RFC 7677): the password itself is never sent,
 * so no log of the server can hold it.
 */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
