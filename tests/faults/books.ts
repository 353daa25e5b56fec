import { openQueue } from '@tilemark/core/server';
import pg from 'pg';
import { expect } from 'vitest';
import type { FaultGrid } from './grid';
import { until } from './until';

export type Counts = Record<
  'total' | 'pending' | 'measured' | 'skipped' | 'incorrect' | 'failed',
  number
>;

interface RunRow {
  readonly id: string;
  readonly state: string;
  readonly results: string[];
}

/** The runs of a sweep with the outcomes that were recorded of each. */
async function runsOf(databaseUrl: string, sweepId: string): Promise<RunRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<RunRow>(
      `SELECT run."id", run."state"::text,
         array_remove(array_agg(result."outcome"->>'kind'), NULL) AS results
       FROM "Run" AS run LEFT JOIN "Result" AS result ON result."runId" = run."id"
       WHERE run."sweepId" = $1 GROUP BY run."id"`,
      [sweepId],
    );
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Waits until a sweep is done and checks its books: every run has ended in exactly one
 * outcome, with one result of that kind and no other; none is missing and none is new;
 * and what the API counts and lists is what the database contains.
 *
 * @returns how many runs ended how
 */
export async function checkBooks(
  grid: FaultGrid,
  { id, counts: { total } }: { id: string; counts: Counts },
): Promise<Counts> {
  const shown = await until(`sweep ${id} to be done`, async () => {
    const sweep = await grid.sweep(id).catch(() => null);
    return sweep?.status === 'done' && sweep;
  });

  const runs = await runsOf(grid.services.databaseUrl, id);
  expect(runs).toHaveLength(total);
  for (const { state, results } of runs) expect(results).toEqual([state]);

  const counts: Counts = { total, pending: 0, measured: 0, skipped: 0, incorrect: 0, failed: 0 };
  for (const { state } of runs) counts[state as keyof Counts] += 1;
  expect(shown.counts).toEqual(counts);

  const listed = await grid.json<{ items: { runId: string; outcome: { kind: string } }[] }>(
    `/api/v1/sweeps/${id}/results?all=1`,
  );
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(
    listed.items.map((item) => ({ id: item.runId, state: item.outcome.kind })).sort(byId),
  ).toEqual(runs.map((run) => ({ id: run.id, state: run.state })).sort(byId));
  const table = await (await grid.fetch(`/api/v1/sweeps/${id}/results?format=csv`)).text();
  expect(table.trimEnd().split('\r\n')).toHaveLength(total + 1);

  await until('no job of a run that has ended', async () => {
    const queue = openQueue(grid.services);
    try {
      const waiting = await Promise.all((await grid.deviceKeys()).map((key) => queue.runIds(key)));
      const jobs = new Set(waiting.flatMap((ids) => [...ids]));
      return runs.every((run) => !jobs.has(run.id));
    } finally {
      await queue.close();
    }
  });
  await until('an empty journal', async () => (await grid.journal()).length === 0);
  return counts;
}
