import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { AccountsRefused } from '../errors';

/** The group of all enrolled workers. It holds what they are granted and cannot log in. */
const GROUP = 'tilemark_worker';

/** Enough for the connections of one worker, too few to take all that the server has. */
const CONNECTION_LIMIT = 30;

/** Any constant does: of several that grant at once, one waits for the other. */
const LOCK = 0x72_6f_6c_65;

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
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
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
}

/**
 * Ends a role's access at once: no new session, none that goes on, nothing it owns, no role.
 * Does nothing where there is no such role. Not one transaction, because a session may begin
 * until the first step is committed; each step can be repeated.
 */
export async function dropRole(db: PrismaClient, login: string): Promise<void> {
  const [role] = await db.$queryRaw<object[]>`
    SELECT 1 FROM pg_roles WHERE rolname = ${login}`;
  if (!role) return;
  await db.$executeRawUnsafe(`ALTER ROLE "${login}" NOLOGIN`);
  await endSessions(db, login);
  await db.$executeRawUnsafe(`DROP OWNED BY "${login}"`);
  await db.$executeRawUnsafe(`DROP ROLE "${login}"`);
}

/**
 * Ends the sessions that a role has open. Only members of a role may, and drop what it owns;
 * a superuser need not be one, and is none: pg_hba.conf tells workers by their membership.
 */
export async function endSessions(db: PrismaClient, login: string): Promise<void> {
  const [own] = await db.$queryRaw<{ rolsuper: boolean }[]>`
    SELECT "rolsuper" FROM pg_roles WHERE rolname = current_user`;
  if (!own?.rolsuper) await db.$executeRawUnsafe(`GRANT "${login}" TO CURRENT_USER`);
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
