import { hostname } from 'node:os';
import { type Enrolment, enrolmentSchema } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import type { DeviceDescription } from './device/device';
import type { Seat } from './seat';
import { Site, type SiteOptions } from './site';
import { VERSION } from './version';

/** The grid does not let this worker in, or no longer: its token or the worker was revoked. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
}

/** How a worker is listed; the second of one device on a machine as `lab: H200 #2`. */
export const listedAs = ({ identity, capabilities }: DeviceDescription, number = 1) => ({
  name: `${hostname()}: ${identity.device}`.slice(0, 290) + (number > 1 ? ` #${number}` : ''),
  host: hostname().slice(0, 120) || 'unknown',
  version: VERSION,
  identity,
  capabilities,
});

/**
 * The site at which a worker enrols. Throws NotAdmitted for a token that cannot be one,
 * InputError for an address that is none.
 */
export function openSite(options: SiteOptions): Site {
  try {
    return new Site(options);
  } catch (error) {
    throw admission(error);
  }
}

/**
 * Attaches a worker through a grid's site, with a worker or an admin token, and is told what to
 * connect to. Throws NotAdmitted for a token that is refused, InputError for what else the site
 * refuses, Error when it does not answer.
 *
 * @param seat what the process calls itself, the same after every restart
 */
export async function enroll(
  site: Site,
  device: DeviceDescription,
  { instance, number }: Pick<Seat, 'instance' | 'number'>,
): Promise<Enrolment> {
  const request = { ...listedAs(device, number), instance, at: new Date().toISOString() };
  try {
    return await site.post('workers/enroll', enrolmentSchema, request);
  } catch (error) {
    throw admission(error);
  }
}

/** What is wrong with the token keeps the worker out; the rest stays what it is. */
const admission = (error: unknown): unknown =>
  error instanceof InputError && error.field === '--token' ? new NotAdmitted(error.message) : error;
