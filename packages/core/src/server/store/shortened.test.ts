import { expect, test } from 'vitest';
import type { Outcome } from '../../measure/outcome';
import { MAXIMA } from '../../schema/maxima';
import { attach, kernelRun, measured, recorded, sweepOf } from './fixtures.test-helper';
import { testStore } from './store.test-helper';

const { store } = await testStore();

const { reason, reasonInList } = MAXIMA.characters;

/** A sweep whose runs ended so, by a worker on the services themselves. */
async function ended(outcomes: readonly Outcome[]): Promise<string> {
  const { deviceKey, workerId } = await attach(store);
  const { id, runIds } = await sweepOf(
    store,
    outcomes.map(() => kernelRun(deviceKey, 'matmul/naive')),
  );
  for (const [at, outcome] of outcomes.entries()) {
    await store.runs.record(recorded(runIds[at] ?? '', workerId, outcome));
  }
  return id;
}

const textOf = (outcome: Outcome | null) =>
  outcome?.kind === 'skipped' ? outcome.why : outcome?.kind === 'failed' ? outcome.message : '';

/** What the results of a sweep say, and its list. */
async function told(id: string) {
  const [{ items }, views] = await Promise.all([
    store.sweeps.results(id),
    store.sweeps.runs(id, 9),
  ]);
  return {
    whole: items.map(({ outcome }) => textOf(outcome)),
    inList: views.map((run) => run.reason),
  };
}

test('long texts are kept and listed shortened', async () => {
  const text = 'é'.repeat(100_000);
  const { inList, whole } = await told(
    await ended([
      { kind: 'skipped', why: text },
      { kind: 'failed', stage: 'verify', message: text },
    ]),
  );
  for (const each of whole) expect(each).toMatch(/^é+ … \(shortened\)$/);
  for (const each of whole) expect(each.length).toBeLessThanOrEqual(reason);
  for (const each of inList) expect(each).toMatch(/ … \(shortened\)$/);
  for (const each of inList) expect(each?.length).toBeLessThanOrEqual(reasonInList);
});

test('a page of results ends where its samples become many, and the next goes on', async () => {
  const long = { samples: 30_000 };
  const id = await ended(Array.from({ length: 12 }, (_, at) => measured(1e6 + at, long)));
  const first = await store.sweeps.results(id);
  expect(first.items.length).toBeLessThan(12);
  expect(first.nextCursor).not.toBeNull();
  const runs = first.items.map(({ runId }) => runId);
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const page = await store.sweeps.results(id, cursor);
    runs.push(...page.items.map(({ runId }) => runId));
    cursor = page.nextCursor;
  }
  expect(runs).toHaveLength(12);
  expect(new Set(runs).size).toBe(12);
});
