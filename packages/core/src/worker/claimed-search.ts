import { InputError, type Problem, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { RunClaim, RunOutcome, SearchStep } from '../api/run';
import type { TuningDecision } from '../api/tuning';

import type { Attachment } from '../link/wire';
import type { Outcome } from '../measure/outcome';
import { MAX_RUNS_PER_SWEEP } from '../plan/spec';
import { type PastAnswer, SearchDriver } from '../tune/driver';
import { pointOf } from '../tune/family-search';
import { contrastOfDuel } from '../tune/problem-search';
import { type Answer, drive, keyOf, keyOfWords, type TrialOutcome } from '../tune/protocol';
import { searchOf } from '../tune/search';
import type { Point } from '../tune/space';
import { type AskedOfWorker, Interrupted, recordOf, unasked, withoutRunning } from './claimed-run';
import type { WorkerParts } from './parts';

/** A search that a grid's worker has claimed, with what was measured of it before. */
export type ClaimedSearch = RunClaim & { readonly search: NonNullable<RunClaim['search']> };

/** A search that has as many answers has no time left: its last measurements and duels are runs too. */
const MOST_ANSWERS = MAX_RUNS_PER_SWEEP - 500;

/** The time by then: finite, so that what it took until then is a number. */
const NO_TIME_LEFT_NS = Number.MAX_SAFE_INTEGER;

interface Turn {
  readonly signal: AbortSignal;
  /** Whether it is others' turn: the search then goes on later, from what it has measured. */
  readonly isOver: () => boolean;
  /** Keeps what was measured for it. */
  readonly keep: (run: AskedOfWorker, record: RunOutcome) => Promise<void>;
  readonly mostAnswers?: number;
}

/**
 * Drives a claimed search as `tilemark tune` does: what it asks for was measured before, or is measured
 * now as a run of its own. Returns what it found, or how it ended where it cannot be done. Throws Interrupted
 * if aborted, and when its turn is over.
 */
export async function searchClaimed(
  run: ClaimedSearch,
  parts: Pick<WorkerParts, 'runner' | 'alone' | 'admit'>,
  attachment: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
  { isOver, keep, mostAnswers = MOST_ANSWERS, signal }: Turn,
): Promise<TuningDecision | RunOutcome> {
  const { runner } = parts;
  const { contributed, deviceKey, profile, search, seed } = run;
  const ended = (outcome: Outcome) => withoutRunning(run, runner, outcome, attachment);
  const outcome = unasked(run);
  if (outcome) return ended(outcome);
  if (contributed) await parts.admit?.(contributed.file);
  const { capabilities, identity } = await runner.open(profile);
  const known = new Map(search.steps.map((each) => [keyOfWords(each), answerOf(each)]));
  const driver: SearchDriver<TrialOutcome> = new SearchDriver<TrialOutcome>({
    device: { identity, capabilities },
    find: (wanted) => known.get(keyOf(wanted)) ?? null,
    alone: (work) => parts.alone(work, signal),
    measure: async (wanted, ahead) => {
      if (isOver()) throw new Interrupted('its turn is over');
      const { address: _, ...asked } = wanted;
      const own = { ...asked, profile, seed, id: crypto.randomUUID(), searchId: run.id };
      const work = () => runner.run(own, { ahead, signal });
      const record = await driver.alone(() => recordOf(own, work, attachment));
      await keep(own, record);
      return foundBy(record.outcome);
    },
  });
  const device = { key: deviceKey, class: identity.class, name: identity.device, capabilities };
  // Of this turn, those known before included.
  let answered = 0;
  const nowNs = () => (answered < mostAnswers ? driver.nowNs() : NO_TIME_LEFT_NS);
  const options = { nowNs, identity, chosen: chosenIn(search.steps) };
  try {
    return await drive(searchOf(search.request, device, options), (ask) => {
      answered++;
      return driver.answer(ask);
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted('it was interrupted');
    if (error instanceof InputError) return ended({ kind: 'skipped', why: error.message });
    throw error;
  }
}

/** What was found of a run before. */
function answerOf({ contrast, spentNs, ...run }: SearchStep): PastAnswer<TrialOutcome> {
  const { disbelieved, highNs, kind, lowNs, medianNs, unranked } = run;
  if (kind !== 'measured') return { outcome: { kind }, contrast, spentNs };
  if (medianNs === null || lowNs === null || highNs === null)
    return { outcome: { kind: 'failed' }, contrast, spentNs };
  const measurement = { cold: { medianNs, lowNs, highNs }, disbelieved, unranked };
  return { outcome: { kind, measurement }, contrast, spentNs };
}

/** What is found of it now. */
function foundBy(outcome: Outcome): Answer<TrialOutcome> {
  const duel = outcome.kind === 'measured' ? outcome.measurement.duel?.duel : null;
  return { outcome, contrast: duel ? contrastOfDuel(duel) : null };
}

/** The candidates of each shape that was screened whole: all that were begun but the last. */
function chosenIn(known: readonly SearchStep[]): (problem: Problem) => readonly Point[] | null {
  const screens = known.filter(({ policy, rival }) => policy === 'screen' && rival === null);
  const shapes = [...group(screens, ({ shape }) => shape)].slice(0, -1);
  const chosen = new Map(
    shapes.map(([shape, runs]) => [shape, runs.flatMap(({ address }) => pointOf(address) ?? [])]),
  );
  return (problem) => chosen.get(shapeText(problem)) ?? null;
}
