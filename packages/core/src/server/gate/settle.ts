import type { Prisma } from '@tilemark/db';
import { group } from 'd3-array';
import type { Measurement, Outcome } from '../../measure/outcome';
import {
  holdBoards,
  measuredVariant,
  moveBests,
  moveHeadlines,
  type RunColumns,
} from '../store/boards/headlines';
import { runOf } from '../store/columns';
import { batches } from '../store/database';
import { raiseByResults } from '../store/roofs';
import { confirmAgreeing } from './parties';

/** A result that the gate admitted, with the columns of its run. */
export interface AdmittedRun {
  readonly resultId: string;
  readonly run: RunColumns & Parameters<typeof runOf>[0];
  readonly outcome: Outcome;
  /** Whose word it is; null: unknown. */
  readonly party: string | null;
  /** Others have machines of its device, or brought files of it. */
  readonly isShared: boolean;
  /** The roof that it came with, if it may raise that of its party. */
  readonly statedRoof: Measurement['roof'];
  /** A roof holds for its party. */
  readonly hasRoof: boolean;
}

/** Variants per statement: a few hundred kB of JSON. */
const BATCH = 500;

/** All that results move, in the transaction that writes them: agreement, the boards, the roofs. */
export async function settle(
  tx: Prisma.TransactionClient,
  results: readonly AdmittedRun[],
): Promise<void> {
  const measured = results.filter(({ outcome }) => outcome.kind === 'measured');
  if (measured.length === 0) return;
  await holdBoards(
    tx,
    measured.map(({ run }) => run.deviceKey),
  );
  const shared = measured.flatMap(({ isShared, resultId }) => (isShared ? [resultId] : []));
  const confirmed = shared.length > 0 ? await confirmAgreeing(tx, shared) : [];
  const variants = measured.flatMap(({ outcome, run }) => measuredVariant(run, outcome));
  for (const some of batches(variants, BATCH)) await moveHeadlines(tx, some);
  const moved = new Set(measured.map(({ resultId }) => resultId));
  // Those that were here before.
  await moveBests(
    tx,
    confirmed.filter((id) => !moved.has(id)),
  );
  const raises = group(
    measured.flatMap(raiseOf),
    ({ deviceKey, party, profile }) => `${deviceKey} ${profile} ${party}`,
  );
  for (const [first, ...others] of raises.values()) {
    if (first) await raiseByResults(tx, first, [first, ...others]);
  }
}

/** What a result says that its device can do, where that may raise its party's roof. */
function raiseOf({ hasRoof, outcome, party, run, statedRoof: roof }: AdmittedRun) {
  if (outcome.kind !== 'measured' || !roof || party === null) return [];
  const { measurement } = outcome;
  // Otherwise its worker probed again, or saw the device do more.
  if (hasRoof && measurement.roof && roof.ns > measurement.roof.ns) return [];
  const { deviceKey } = run;
  return [{ ...runOf(run), deviceKey, party, measurement: { ...measurement, roof } }];
}
