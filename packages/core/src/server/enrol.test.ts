import { randomUUID } from 'node:crypto';
import { createClient } from '@tilemark/db';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { reconcileAccess } from './enrol';
import { DatabaseUnavailable, QueueUnavailable } from './errors';
import type { Queue } from './queue';
import { reconcile } from './reconcile';
import type { Store } from './store';
import { attach, measured, planned, recorded, sweepOf } from './store/test-fixtures';
import { describeEnrolment, type EnrolmentLab, query } from './test-enrolment';

describeEnrolment((lab, kind) => {
  let databaseUrl: string;
  let store: Store;
  let queue: Queue;
  let tokenId: string;
  beforeAll(() => {
    ({ databaseUrl, store, queue, tokenId } = lab());
  });
  const enrol: EnrolmentLab['enrol'] = (...args) => lab().enrol(...args);
  const newToken: EnrolmentLab['newToken'] = (...args) => lab().newToken(...args);

  test('enrolling again takes over the row and ends the passwords before', async () => {
    const instance = randomUUID();
    const first = await enrol('Again', { instance });
    await first.store.ping();
    await first.queue.ping();
    const [runId = ''] = (await sweepOf(store, [planned(first.deviceKey)])).runIds;
    await first.store.runs.claim(runId, first.workerId);

    const second = await enrol('Again', { instance });
    expect(second.workerId).toBe(first.workerId);
    const rows = (await store.workers.list()).filter(({ device }) => device.name === 'Again');
    expect(rows).toHaveLength(1);
    await expect(first.store.ping()).rejects.toThrow(DatabaseUnavailable);
    if (kind === 'Redis') await expect(first.queue.ping()).rejects.toThrow(QueueUnavailable);
    await second.queue.ping();
    // What it held in its last life waits, and a result of that life is still taken.
    const result = recorded(runId, second.workerId, measured(1e6), 'Again');
    expect(await second.store.runs.record(result)).toEqual({ recorded: true });
  });

  test('a token that was revoked while a worker enrolled makes it no accounts', async () => {
    const token = await newToken();
    const { workerId } = await enrol('Late', {}, token);
    await store.tokens.revoke(token);
    await reconcileAccess({ store, queue });
    expect(await store.enrolments.grant({ workerId, tokenId: token })).toBeNull();
    expect(await store.enrolments.current()).not.toContain(workerId);
  });

  test('the role of a token that expires lets nobody in after it', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const token = await store.tokens.create({ name: 'x', role: 'worker', expiresAt });
    const { databaseUrl: url } = await enrol('Expiring', {}, token.id);
    const [role] = await query(
      databaseUrl,
      `SELECT rolvaliduntil FROM pg_roles WHERE rolname = '${new URL(url).username}'`,
    );
    expect(role?.rolvaliduntil).toEqual(expiresAt);
  });

  test('a worker at work keeps its accounts where enrolling it again fails', async () => {
    const instance = randomUUID();
    const first = await enrol('Steady', { instance });
    await query(
      databaseUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON "Enrolment"
         FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      await expect(enrol('Steady', { instance })).rejects.toThrow();
      await expect(enrol('Steady', { instance: randomUUID() })).rejects.toThrow();
    } finally {
      await query(databaseUrl, 'DROP TRIGGER refuse ON "Enrolment"; DROP FUNCTION refuse()');
    }
    await reconcileAccess({ store, queue });
    await first.store.ping();
    await first.queue.ping();
    const rows = (await store.workers.list()).filter(({ device }) => device.name === 'Steady');
    expect(rows.map(({ id }) => id)).toEqual([first.workerId]);
  });

  test('a database user that may not make roles is told what to grant', async () => {
    const role = `plain_${randomUUID().replaceAll('-', '')}`;
    const name = new URL(databaseUrl).pathname.slice(1);
    await query(
      databaseUrl,
      `CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
       GRANT ALL ON DATABASE ${name} TO ${role}`,
    );
    const url = Object.assign(new URL(databaseUrl), { username: role, password: 'x' }).href;
    const plain = lab().open(url);
    const { workerId } = await attach(store, 'Plain');
    await expect(plain.enrolments.grant({ workerId, tokenId })).rejects.toThrow(
      `ALTER ROLE "${role}" CREATEROLE`,
    );
  });

  test('a worker of the grid itself is not enrolled, so it cannot be revoked while it lives', async () => {
    const { workerId } = await attach(store, 'Local');
    expect(await store.workers.revoke(workerId)).toBe('not enrolled');
    await reconcile({ store, queue });
    const db = createClient(databaseUrl);
    await db.worker.update({ where: { id: workerId }, data: { lastHeartbeatAt: new Date(0) } });
    await db.$disconnect();
    expect(await store.workers.revoke(workerId)).toBe('revoked');
  });

  test('no password is kept in clear, and Postgres is never sent one', async () => {
    const { databaseUrl: url, redisUrl: ownRedisUrl } = await enrol('Secret');
    const secrets = [url, ownRedisUrl].flatMap((each) => (each ? [new URL(each).password] : []));
    const rows = await query(databaseUrl, 'SELECT * FROM "Enrolment"');
    const roles = await query(databaseUrl, 'SELECT rolname, rolpassword FROM pg_authid');
    for (const secret of secrets) {
      expect(secret).toHaveLength(43);
      expect(JSON.stringify([rows, roles])).not.toContain(secret);
    }
  });

  test('a worker cannot keep others from enrolling by a lock', async () => {
    const { databaseUrl: url } = await enrol('Greedy');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${0x72_6f_6c_65})`);
    await expect(client.query('BEGIN; LOCK TABLE "Enrolment"')).rejects.toThrow(
      /permission denied/,
    );
    await enrol('Next');
    await client.end();
  });
});
