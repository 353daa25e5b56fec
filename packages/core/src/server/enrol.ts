import type { Enrolment, EnrolmentRequest } from '../api';
import { backfill } from './backfill';
import type { AuditNote, Store } from './store';
import type { SweepServices } from './submit';

/** Where workers find the services, without user and password. */
export interface WorkerAddresses {
  readonly databaseUrl: string;
  /** Null: the queue is kept in Postgres. */
  readonly redisUrl: string | null;
}

/**
 * Attaches a worker and makes it accounts of its own in Postgres and Redis, which can do what
 * a worker of its device does. A process that enrols again takes over its row and gets new
 * passwords; those before end. A device never seen gets the standing suites. Null: the token does
 * not let it in, because it has ended meanwhile, or this worker, or another that enrolled with
 * it, was revoked.
 *
 * @throws AccountsRefused naming the right that the grid's own account lacks; ServiceUnavailable
 */
export async function enrolWorker(
  services: SweepServices,
  { version, name, host, instance, identity, capabilities }: EnrolmentRequest,
  tokenId: string,
  addresses: WorkerAddresses,
  note?: AuditNote,
): Promise<Pick<Enrolment, 'workerId' | 'deviceKey' | 'databaseUrl' | 'redisUrl'> | null> {
  const { store, queue } = services;
  if (await store.workers.isBarred(instance, tokenId)) return null;
  // Before anything is changed; where the queue is in Postgres this also makes its tables.
  await queue.ping();
  const { workerId, deviceKey, wasAttached } = await store.workers.attach({
    ...{ version, name, host, instance, identity, capabilities, tokenId },
  });
  let granted: Awaited<ReturnType<Store['enrolments']['grant']>> = null;
  try {
    granted = await store.enrolments.grant({ workerId, tokenId, note });
  } finally {
    // What has no accounts is not attached: it would be listed, and soon as lost. One that was
    // attached has accounts, and may be at work with them.
    if (!granted && !wasAttached) await store.workers.detach(workerId);
  }
  if (!granted) return null;
  const { login, password, redisPassword } = granted;
  await store.enrolments.admit(workerId, queue.admit);
  await backfill(services, deviceKey);
  const { databaseUrl, redisUrl } = addresses;
  return {
    workerId,
    deviceKey,
    databaseUrl: urlWith(databaseUrl, login, password),
    redisUrl: redisUrl === null ? null : urlWith(redisUrl, login, redisPassword),
  };
}

const urlWith = (url: string, username: string, password: string): string =>
  Object.assign(new URL(url), { username, password }).href;

/**
 * Brings accounts into step with the rows: those of workers that were revoked, signed off or
 * fell silent, or whose token has ended, go; those that Redis forgot come back. Returns how
 * many ended. Several processes may do this at once. What fails for one is thrown after the others.
 *
 * @throws ServiceUnavailable
 */
export async function reconcileAccess({ store, queue }: SweepServices): Promise<number> {
  const { enrolments } = store;
  const errors: unknown[] = [];
  const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => errors.push(error));
  let ended = 0;
  for (const enrolment of await enrolments.ended()) {
    await attempt(
      enrolments.end(enrolment, queue.expel).then((hasEnded) => {
        if (hasEnded) ended++;
      }),
    );
  }
  for (const workerId of await enrolments.current()) {
    await attempt(enrolments.admit(workerId, queue.admit));
  }
  if (errors.length > 0) throw errors[0];
  return ended;
}
