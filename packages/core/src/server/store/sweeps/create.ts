import type { PrismaClient } from '@tilemark/db';
import type { Sweep } from '../../../api/api';
import { KeyUsed } from '../../errors';
import { canonicalJson, toJson } from '../database';
import { insertRuns, insertSweep, newRun, type SweepInput } from './insert';
import { type SweepRow, sweepViews } from './views';

const CREATE_TIMEOUT_MS = 60_000;

/**
 * One transaction: the sweep and all of its runs. Throws KeyUsed where another request of its author
 * had its key.
 */
export async function createSweep(
  db: PrismaClient,
  { runs, createdById = null, idempotencyKey = null, ...fields }: SweepInput,
): Promise<{
  sweep: Sweep;
  runs: { id: string; deviceKey: string; kernel: string }[];
}> {
  const isSearch = fields.tuning !== undefined;
  const rows = runs.map((run, ordinal) => ({ ...newRun(run, ordinal), isSearch }));
  const created = await db.$transaction(
    async (tx) => {
      const keys = rows.map(({ deviceKey }) => deviceKey);
      const sweep = await insertSweep(tx, { ...fields, createdById, idempotencyKey }, keys);
      if (!sweep) return null;
      await insertRuns(tx, sweep.id, rows);
      return sweep;
    },
    { timeout: CREATE_TIMEOUT_MS, maxWait: CREATE_TIMEOUT_MS },
  );
  const row = created ?? (await db.sweep.findFirstOrThrow({ where: { idempotencyKey } }));
  if (!created && createdById !== null && askedText(row) !== askedText(fields)) {
    throw new KeyUsed(
      `This key belongs to another request, which made sweep ${row.id}: take a new key, or repeat that request.`,
    );
  }
  const [sweep] = await sweepViews(db, [row]);
  if (!sweep) throw new Error(`Sweep ${row.id} was deleted while it was made.`);
  return {
    sweep,
    runs: created ? rows.map(({ id, deviceKey, kernel }) => ({ id, deviceKey, kernel })) : [],
  };
}

/** What a request asked for, of a search without what was drawn when it began. */
const askedText = ({
  name,
  spec,
  suite,
  tuning,
}: Pick<SweepRow | SweepInput, 'name' | 'spec' | 'suite' | 'tuning'>): string => {
  const search = tuning && { ...toJson(tuning as object), seed: null };
  return canonicalJson({ name, suite, spec: toJson(spec as object), search: search ?? null });
};
