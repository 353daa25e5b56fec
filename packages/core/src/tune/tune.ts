import type { Outcome } from '../outcome';
import type { PolicyId } from '../policy';
import type { Search } from './search';
import type { Point } from './space';

/** A point measured under a policy, or why it was not. */
export interface Trial {
  readonly point: Point;
  readonly policy: PolicyId;
  readonly outcome: Outcome;
}

export interface TuneOptions {
  readonly search: Search;
  readonly budgetNs: number;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /**
   * Verifies and measures a point; an outcome that is not `measured` counts for nothing.
   * `next` follows unless the budget ends: it may be compiled meanwhile.
   */
  readonly measure: (point: Point, policy: PolicyId, next: Point | null) => Promise<Outcome>;
  /** Called after each trial, with the fastest of its policy so far. */
  readonly onTrial?: (trial: Trial, best: Trial | null) => void;
}

export interface Tuned {
  readonly screened: readonly Trial[];
  /** Under the full protocol, fastest first; those that failed under it last. */
  readonly finals: readonly Trial[];
  /** Why screening ended: the budget's share was used, or nothing was left to try. */
  readonly stop: 'budget' | 'exhausted';
}

/** Part of the budget that screening may use; the rest is for the finals. */
const SCREENING_PART = 0.7;

/** Screened medians within this of the leader's are measured again by the full protocol. */
const FINALS_WITHIN = 1.1;

/**
 * Screens what the search proposes with few samples until its share of the budget is
 * used, then measures those within 10% of the leader by the full protocol, fastest
 * first, while the budget lasts; the leader always. The search is asked for each point
 * before it is told of the one that is measured meanwhile.
 */
export async function tune({
  search,
  budgetNs,
  nowNs,
  measure,
  onTrial,
}: TuneOptions): Promise<Tuned> {
  const beganNs = nowNs();
  const spentNs = () => nowNs() - beganNs;
  const take = async (
    trials: Trial[],
    point: Point,
    policy: PolicyId,
    next: Point | null = null,
  ) => {
    const trial = { point, policy, outcome: await measure(point, policy, next) };
    trials.push(trial);
    const [best] = ranked(trials);
    onTrial?.(trial, best && medianNs(best) !== null ? best : null);
    return medianNs(trial);
  };

  const screened: Trial[] = [];
  let point = search.next();
  while (point && spentNs() < SCREENING_PART * budgetNs) {
    const ahead = search.next();
    search.tell(point, await take(screened, point, 'screen', ahead));
    // What has been told may bring something to try where nothing was left before.
    point = ahead ?? search.next();
  }
  const stop = point ? 'budget' : 'exhausted';

  const finals: Trial[] = [];
  let longestNs = 0;
  for (const { point } of closeToLeader(screened)) {
    const hasOne = finals.some((trial) => medianNs(trial) !== null);
    if (hasOne && spentNs() + longestNs > budgetNs) break;
    const startNs = nowNs();
    await take(finals, point, 'default');
    longestNs = Math.max(longestNs, nowNs() - startNs);
  }
  return { screened, finals: ranked(finals), stop };
}

/** Fastest first; what was not measured last. */
function ranked(trials: readonly Trial[]): Trial[] {
  const cost = (trial: Trial) => medianNs(trial) ?? Number.MAX_VALUE;
  return trials.toSorted((a, b) => cost(a) - cost(b));
}

function closeToLeader(screened: readonly Trial[]): Trial[] {
  const order = ranked(screened);
  const leader = order[0] && medianNs(order[0]);
  return order.filter((trial) => (medianNs(trial) ?? Number.NaN) <= FINALS_WITHIN * (leader ?? 0));
}

/** Median of a trial's cold series, ns; null unless it was measured. */
export function medianNs({ outcome }: Pick<Trial, 'outcome'>): number | null {
  return outcome.kind === 'measured' ? outcome.measurement.cold.medianNs : null;
}
