import type { z } from 'zod';
import { NotAdmitted, Refused } from '../link/link';
import type { outcomeRequestSchema } from '../link/wire';
import { deviceKey } from '../measure/device';
import { DirectLink } from './direct-link';
import { canonicalJson } from './store/database';
import type { KnownRun } from './store/record';
import type { SweepServices } from './submit';

/**
 * The direct form, driven for a worker elsewhere: it speaks for itself and its own runs alone, and
 * what it says is compared with what it was told to do.
 */
export class RemoteLink extends DirectLink {
  /** Throws NotAdmitted for a worker that may not go on, and Refused at `worker` for one to attach again. */
  static async of(services: SweepServices, workerId: string, tokenId: string): Promise<RemoteLink> {
    const admission = await services.store.workers.admission(workerId, tokenId);
    switch (admission.is) {
      case 'attached':
        return new RemoteLink(services, { workerId, deviceKey: admission.deviceKey });
      case 'revoked':
        throw new NotAdmitted('This worker was revoked. To let it in, make a new token for it.');
      case 'detached':
        throw new Refused('This worker is no longer attached: attach it again.', 'worker');
      case 'unknown':
        throw new NotAdmitted(`This token has attached no worker ${workerId}.`);
    }
  }

  /** False: the run has ended already, by this worker. */
  async take(
    runId: string,
    outcome: z.infer<typeof outcomeRequestSchema>,
  ): Promise<{ recorded: boolean }> {
    const { workerId } = this.worker;
    return this.record({ ...outcome, runId, workerId }, (run) => this.#check(run, runId, outcome));
  }

  /** Throws Refused for an outcome that is not one of the run. */
  #check(
    run: KnownRun | null,
    runId: string,
    { environment, outcome: ended, run: told }: z.infer<typeof outcomeRequestSchema>,
  ): void {
    const { workerId, deviceKey: key } = this.worker;
    if (!run) throw new Refused(`There is no run ${runId}; its sweep may be gone.`, 'run', true);
    if (run.workerId !== workerId) {
      throw new Refused(`Run ${runId} does not belong to this worker, or no longer does.`, 'run');
    }
    if (run.hasEnded) return;
    for (const field of ['variant', 'problem', 'profile', 'policy'] as const) {
      if (told && canonicalJson(told[field]) !== canonicalJson(run[field])) {
        const [asked, sent] = [run[field], told[field]].map((each) => JSON.stringify(each));
        throw new Refused(`Run ${runId} is of ${field} ${asked}, not ${sent}.`, `run.${field}`);
      }
    }
    if (deviceKey(environment.device) !== key) {
      throw new Refused('It was measured on another device.', 'environment.device');
    }
    if (environment.profile !== run.profile) {
      throw new Refused(`Run ${runId} has profile ${run.profile}.`, 'environment.profile');
    }
    if (ended.kind === 'measured' && ended.measurement.policy !== run.policy) {
      throw new Refused(`Run ${runId} has policy ${run.policy}.`, 'outcome.measurement.policy');
    }
    const { seed } = ended.kind === 'measured' ? ended.measurement.verification : {};
    if (seed !== undefined && seed !== run.seed) {
      throw new Refused(`Run ${runId} has another seed.`, 'outcome.measurement.verification.seed');
    }
  }
}
