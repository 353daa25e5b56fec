import type { PrismaClient } from '@tilemark/db';

/** Answers are read again at the latest after this: names and machines change without a result. */
const KEEP_MS = 60_000;
const MOST = 200;

export interface KeptAnswers {
  /** What `read` resolves to, or resolved to while no result has become visible since. */
  answer<T>(key: string, read: () => Promise<T>): Promise<T>;
  /** Counts how often results have become visible between two looks: equal numbers, equal results. */
  version(): Promise<number>;
}

interface Kept {
  readonly answer: Promise<unknown>;
  readonly readAtMs: number;
}

/**
 * Keeps answers that follow from results alone. Each call asks the database, by an index,
 * whether a result became visible since the answers were read; the first that did ends
 * them all. So an answer is never older than the results, in whichever process they were
 * written, and a board is computed once a result, not once a reader.
 *
 * Callers share the answers and must not change them.
 */
export function keptAnswers(db: PrismaClient): KeptAnswers {
  /** What of the database all kept answers have seen, as Postgres writes a snapshot. */
  let seen: string | null = null;
  let kept = { version: 0, answers: new Map<string, Kept>() };

  const keptNow = async (): Promise<typeof kept> => {
    const { snapshot, isNews } = await look(db, seen);
    if (isNews) kept = { version: kept.version + 1, answers: new Map() };
    seen = snapshot;
    return kept;
  };

  return {
    version: async () => (await keptNow()).version,

    async answer<T>(key: string, read: () => Promise<T>): Promise<T> {
      // Answers read from here on belong to this map: where another caller meets news
      // meanwhile, they go with it.
      const { answers } = await keptNow();
      const known = answers.get(key);
      if (known && performance.now() - known.readAtMs < KEEP_MS) return known.answer as Promise<T>;
      const answer = read();
      answers.delete(key);
      answers.set(key, { answer, readAtMs: performance.now() });
      for (const oldest of answers.keys()) {
        if (answers.size <= MOST) break;
        answers.delete(oldest);
      }
      answer.catch(() => answers.delete(key));
      return answer;
    },
  };
}

/** The database's snapshot now, and whether it holds results that `seen` does not. */
async function look(
  db: PrismaClient,
  seen: string | null,
): Promise<{ snapshot: string; isNews: boolean }> {
  const [row] = await db.$queryRaw<{ snapshot: string; isNews: boolean }[]>`
    SELECT pg_current_snapshot()::text AS "snapshot",
      ${seen}::text IS NULL OR EXISTS (
        SELECT FROM "Result"
        WHERE "transaction" >= pg_snapshot_xmin(${seen}::pg_snapshot)
          AND NOT pg_visible_in_snapshot("transaction", ${seen}::pg_snapshot)
      ) AS "isNews"`;
  if (!row) throw new Error('Postgres told no snapshot.');
  return row;
}
