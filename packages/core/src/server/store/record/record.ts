/**
 * The one way of a worker's result to the board, for many at a time: a grid ends hundreds of runs per
 * second, so each statement is one for all of them. False: the result is not wanted; an Error: it is
 * refused. Results of files are judged and moved by the same calls (`importSweep`).
 */

import type { PrismaClient } from '@tilemark/db';
import type { RunOutcome } from '../../../api/run';
import { judge } from '../../../gate/judge';
import { Refused } from '../../../link/link';
import type { RooflineSurvey } from '../../../measure/roofline';
import { pauses } from '../../../schema/maxima';
import { runOf } from '../columns';
import { fromJson } from '../database';
import type { Notices } from '../notices';
import { type Facts, factsOf } from './facts';
import { headlines } from './headlines';
import { isWanted } from './is-wanted';
import { type Judged, type KeptContents, write } from './write';

export async function record(
  db: PrismaClient,
  notices: Notices,
  kept: KeptContents,
  records: readonly RunOutcome[],
): Promise<(boolean | Error)[]> {
  const facts = await factsOf(db, records);
  const judged = await judgeAll(records, facts);
  const passed = judged.flatMap((run) => (run === null || run instanceof Error ? [] : [run]));
  const ended = await write(db, kept, passed, headlines);
  return judged.map((run) => {
    if (run === null || run instanceof Error) return run ?? false;
    const { id, sweepId } = run.facts;
    if (ended.has(id)) notices.soon(sweepId);
    return ended.has(id);
  });
}

async function judgeAll(
  records: readonly RunOutcome[],
  facts: readonly (Facts | null)[],
): Promise<(Judged | Refused | null)[]> {
  const judged: (Judged | Refused | null)[] = [];
  const pause = pauses();
  for (const [at, record] of records.entries()) {
    judged.push(judgeOne(record, facts[at] ?? null));
    await pause();
  }
  return judged;
}

function judgeOne(record: RunOutcome, facts: Facts | null): Judged | Refused | null {
  if (!facts) {
    return new Refused(`There is no run ${record.runId}; its sweep may be gone.`, 'run', true);
  }
  const wanted = isWanted(record, facts);
  if (wanted !== true) return wanted || null;
  const { deviceClass, engine, roof, seed, tokenId } = facts;
  const outcome = judge(
    record.outcome,
    // The grid's own account is believed to have drawn its inputs as it was told.
    {
      ...{ ...runOf(facts), deviceClass, engine, wgsl: record.wgsl },
      seed: tokenId === null ? null : seed,
    },
    roof === null ? undefined : fromJson<RooflineSurvey>(roof),
  );
  return outcome instanceof Refused ? outcome : { record, facts, outcome };
}
