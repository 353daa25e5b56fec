import { setImmediate } from 'node:timers/promises';
import type { PrismaClient } from '@tilemark/db';
import { shapeText } from '@tilemark/kernels';
import { createLRU } from 'lru.min';
import { problemsOf, type Question } from '../../../api/question';
import { answerFor, type BestRow, type Choice } from '../../../tune/best';
import { oneFor } from '../../../tune/best-one';
import { type Gpu, gpuOf, knownGpus } from '../../../tune/gpus';
import { evidenceOn } from './evidence';

/** Answers that are kept, each with its program: some tens of kilobytes. */
const MOST_KEPT = 500;

/** The signal's reason may be any value, and only errors are handled as such. */
function goOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new DOMException('The reader has left.', 'AbortError');
}

let last: Promise<unknown> = Promise.resolve();
/**
 * Does the work of all who ask one after another, each in a turn of the event loop: others are served
 * between two, and hear that their reader has left, however many ask.
 */
function inTurn<T>(work: () => T): Promise<T> {
  const done = last.then(() => setImmediate()).then(work);
  last = done.catch(() => undefined);
  return done;
}

/**
 * Answers questions of `/best`, problem by problem. An answer is made once for what is known of the
 * GPU and kept. Throws InputError at `gpu` for one that is not known, and AbortError.
 *
 * @param answer `answerFor`, unless tests count its calls
 */
export function answersOf(db: PrismaClient, answer = answerFor) {
  const kept = createLRU<string, Choice>({ max: MOST_KEPT });
  const gpus = async (): Promise<Gpu[]> =>
    knownGpus(
      await db.device.findMany({
        select: { key: true, name: true, class: true },
        orderBy: { name: 'asc' },
      }),
    );
  const best = async (question: Question, signal?: AbortSignal): Promise<BestRow[]> => {
    const { op, dtype, engine, profile } = question;
    const known = question.gpus.length > 0 ? await gpus() : [];
    const named = question.gpus.map((id) => gpuOf(id, known));
    const asked = [];
    for (const gpu of named.length > 0 ? named : [null]) {
      goOn(signal);
      asked.push({ gpu, evidence: await evidenceOn(db, gpu, { op, dtype, profile }, engine) });
    }
    if (question.one) {
      return oneFor(problemsOf(question), profile, asked, (work) =>
        inTurn(() => {
          goOn(signal);
          return work();
        }),
      );
    }
    const rows: BestRow[] = [];
    for (const problem of problemsOf(question)) {
      for (const { gpu, evidence } of asked) {
        const asking = [shapeText(problem), dtype, problem.epilogue, profile, evidence.engine];
        const key = [op, ...asking, gpu?.id, evidence.version].join(' ');
        let found = kept.get(key);
        if (!found) {
          found = await inTurn(() => {
            goOn(signal);
            return answer(problem, profile, evidence);
          });
          kept.set(key, found);
        }
        rows.push({ gpu, problem, ...found });
      }
    }
    return rows;
  };
  return { gpus, best };
}
