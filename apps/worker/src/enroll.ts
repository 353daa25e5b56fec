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
 * Attaches a worker through a grid's site, with a worker or an admin token, and is told what to
 * connect to. Throws NotAdmitted for a token that is refused, InputError for what else the site
 * refuses, Error when it does not answer.
 *
 * @param seat what the process calls itself, the same after every restart
 */
export async function enroll(
  options: SiteOptions,
  device: DeviceDescription,
  { instance, number }: Pick<Seat, 'instance' | 'number'>,
): Promise<Enrolment> {
  const request = { ...listedAs(device, number), instance, at: new Date().toISOString() };
  try {
    return await new Site(options).post('workers/enroll', enrolmentSchema, request);
  } catch (error) {
    if (!(error instanceof InputError && error.field === '--token')) throw error;
    throw new NotAdmitted(error.message);
  }
}
