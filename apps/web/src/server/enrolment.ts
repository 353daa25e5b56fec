import type { Enrolment, EnrolmentRequest } from '@tilemark/core';
import type { AuditNote, WorkerAddresses } from '@tilemark/core/server';
import { log } from './log';
import { originOf } from './origin';
import { HttpProblem } from './problem';
import type { Services, Settings } from './services';

/** A worker's clock that is off by more is told to both sides. */
const CLOCK_OFF_MS = 60_000;

/**
 * Lets a worker in: it appears on the fleet page, and gets accounts of its own in Postgres
 * and Redis. Throws 409 for a worker of another version, 403 for one that was revoked.
 */
export async function enrol(
  { access, settings }: Pick<Services, 'access' | 'settings'>,
  worker: EnrolmentRequest,
  tokenId: string,
  request: Request,
  note?: AuditNote,
): Promise<Enrolment> {
  const origin = originOf(request.headers);
  const clockAheadMs = Date.parse(worker.at) - Date.now();
  if (worker.version !== settings.version) {
    // npx keeps a package by its address and would run the old one again, so the address differs.
    const command = `npx -y "${origin}/worker.tgz?${settings.version}" --server ${origin} --token ...`;
    throw new HttpProblem(
      409,
      `This worker is version ${worker.version} and the grid is ${settings.version}. Start the grid's own: ${command}`,
      'version',
    );
  }
  const enrolled = await access.enrol(
    worker,
    tokenId,
    workerAddresses(settings, new URL(origin).hostname),
    note,
  );
  if (!enrolled) {
    throw new HttpProblem(
      403,
      'This worker was revoked, or its token, or another worker that enrolled with that. To let it in, make a new token for it.',
    );
  }
  const { workerId, deviceKey } = enrolled;
  log.info({ workerId, deviceKey, host: worker.host }, 'a worker enrolled');
  if (Math.abs(clockAheadMs) > CLOCK_OFF_MS) {
    log.warn({ workerId, host: worker.host, clockAheadMs }, 'its clock is off');
  }
  return { ...enrolled, clockAheadMs };
}

/**
 * Where a worker finds the services: where the operator has said, else where the grid finds
 * them. What listens on the site's own machine is at the address that the worker reaches the
 * site by.
 *
 * @param hostname of the site, as the worker knows it
 */
export function workerAddresses(
  { services, workerDatabaseUrl, workerRedisUrl }: Settings,
  hostname: string,
): WorkerAddresses {
  const { databaseUrl, redisUrl } = services;
  return {
    databaseUrl: workerDatabaseUrl ?? seenFrom(hostname, databaseUrl),
    redisUrl: redisUrl && (workerRedisUrl ?? seenFrom(hostname, redisUrl)),
  };
}

function seenFrom(hostname: string, service: string): string {
  const url = new URL(service);
  if (isLoopback(url.hostname) && !isLoopback(hostname)) url.hostname = hostname;
  return url.href;
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
