import type { RunOutcome } from '../../../api/run';
import type { TuningRequest } from '../../../api/tuning';
import { Refused } from '../../../link/link';
import { deviceKey } from '../../../measure/hardware';
import { MAX_RUNS_PER_SWEEP } from '../../../plan/spec';
import { isAskedFor } from '../../../tune/request';
import { runOf } from '../columns';
import { canonicalJson, fromJson } from '../database';
import type { Facts } from './facts';

/**
 * Whether a record ends its run. False: the run has ended already. Refused: the worker may not end it,
 * or the record is of another run than it names, or was not done as asked.
 */
export function isWanted(record: RunOutcome, facts: Facts): boolean | Refused {
  const { environment, run: told, runId, workerId } = record;
  const run = runOf(facts);
  const refused = (message: string, field: string) =>
    new Refused(`Run ${runId} ${message}.`, field);
  if (!facts.mayAnswer) {
    return refused(
      'was asked for by another: a token that is not trusted answers runs of its own sweeps and back-fill; an admin can trust it',
      'run',
    );
  }
  if (facts.tokenId !== null && facts.workerId !== workerId) {
    return refused('does not belong to this worker, or no longer does', 'run');
  }
  if (facts.workerDevice !== facts.deviceKey) {
    return refused(
      `is for ${facts.deviceKey}; the worker's device is ${facts.workerDevice}`,
      'run',
    );
  }
  if (facts.id !== runId) return refused('is of no variant that this grid knows', 'run.variant');
  if (facts.state !== 'pending' && facts.state !== 'running') return false;
  for (const field of ['variant', 'problem', 'profile', 'policy'] as const) {
    if (told === undefined || canonicalJson(told[field]) === canonicalJson(run[field])) continue;
    const [asked, sent] = [run[field], told[field]].map((value) => JSON.stringify(value));
    return refused(`is of ${field} ${asked}, not ${sent}`, `run.${field}`);
  }
  const search = searchFault(record, facts);
  if (search !== null) return refused(search, 'run');
  if (deviceKey(environment.device) !== facts.deviceKey) {
    return refused(
      `is for ${facts.deviceKey}; it was measured on another device`,
      'environment.device',
    );
  }
  if (environment.profile !== run.profile) {
    return refused(
      `has profile ${run.profile}; it was measured with ${environment.profile}`,
      'environment.profile',
    );
  }
  return true;
}

/** What is wrong with a result of a search, or of a run that it was measured for; null: nothing. */
function searchFault({ outcome, run, searchId }: RunOutcome, facts: Facts): string | null {
  const { isSearch, ordinal, tuning } = facts;
  const isRan = outcome.kind === 'measured' || outcome.kind === 'incorrect';
  if (searchId === undefined)
    return isSearch && isRan ? 'is a search: its measurements name it as their `searchId`' : null;
  if (!isSearch || !run || tuning === null) return 'names a `searchId` that is not of a search';
  if (!isAskedFor(fromJson<TuningRequest>(tuning), run, run.rival))
    return 'is not of the search that it names';
  return ordinal < MAX_RUNS_PER_SWEEP ? null : `is more than the ${MAX_RUNS_PER_SWEEP} of a search`;
}
