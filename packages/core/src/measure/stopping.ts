/**
 * The stopping rule: when a series of samples may end, and why. `stoppingRule` is one object
 * with three methods (start, add, finished), as in NVIDIA's nvbench; series.ts feeds it. Its
 * limits are fields of the policy (policy.ts): change a limit there, the rule itself here, and
 * METHODOLOGY_VERSION with either if numbers move. `npm run bench:statistics` shows what a change
 * does to the coverage of the intervals.
 */
import type { Sample } from '@tilemark/kernels';
import { isSettled } from '../statistics/interval-name';
import { medianInterval } from '../statistics/median';
import { KNOWN_WIDTH, summarise } from '../statistics/summary';
import type { StopReason } from './outcome';
import type { Policy } from './policy';

/** A sample of a series, as a stopping rule sees it. */
interface TimedSample extends Pick<Sample, 'ns'> {
  /** Dispatches that the sample's time covers. */
  readonly dispatches: number;
}

/** Decides when a series has been measured well enough. */
interface StoppingRule {
  /** Starts the clock of a new series and forgets the previous one. */
  start(): void;
  add(sample: TimedSample): void;
  /** Why the series may end now; null while it must go on. */
  finished(): StopReason | null;
}

/** With samples longer than this, a quick policy's `minSamplesSlow` is enough, ns. */
const SLOW_SAMPLE_NS = 200e6;

/**
 * Samples between two looks, as a part of those taken. The more often a rule looks, the more often
 * it ends a series that is narrow by chance.
 */
const LOOK_AFTER = 1.25;

/** Below these the dependence of a series is not known well enough to end it. */
const LEAST = { independent: 50, df: 10 };

/** The noise has settled when the last looks agree on its size within this, relative. */
const SETTLED = { looks: 3, within: 0.1 };

/**
 * Ends a series as `converged` when the interval of its median, dependence paid for, meets the
 * policy; as `noisy` when the median is known, the noise has settled, and at its size the policy's
 * interval is out of reach; as `capped` at the policy's wall time, or `unsettled` where the samples
 * do not even have an interval then; as `quick` when a policy that is never ranked has its few samples.
 *
 * @param nowNs a monotonic clock, ns
 */
export function stoppingRule(policy: Policy, nowNs: () => number): StoppingRule {
  let beganNs = 0;
  let totalNs = 0;
  let longestNs = 0;
  let timesNs: number[] = [];
  /** The noise as each look found it: the half width of the interval of one sample. */
  let noise: number[] = [];
  let nextLook = 1;

  const hasEnough = () =>
    totalNs >= policy.minTotalNs &&
    timesNs.length >=
      (longestNs > SLOW_SAMPLE_NS && !policy.rankable ? policy.minSamplesSlow : policy.minSamples);

  const hasSettled = () => {
    const last = noise.slice(-SETTLED.looks);
    return (
      last.length === SETTLED.looks && Math.max(...last) <= (1 + SETTLED.within) * Math.min(...last)
    );
  };

  /** The verdict on the samples so far. */
  const look = (spentNs: number): StopReason | null => {
    const { median, low, high, independent, df } = medianInterval(timesNs);
    const width = Math.max(high - median, median - low) / median;
    noise.push(width * Math.sqrt(timesNs.length));
    if (independent < LEAST.independent || df < LEAST.df) return null;
    if (width <= policy.interval) return 'converged';
    const neededNs = spentNs * (width / policy.interval) ** 2;
    return width <= KNOWN_WIDTH && neededNs > policy.maxWallNs && hasSettled() ? 'noisy' : null;
  };

  return {
    start() {
      beganNs = nowNs();
      totalNs = 0;
      longestNs = 0;
      timesNs = [];
      noise = [];
      nextLook = 1;
    },

    add({ ns, dispatches }) {
      totalNs += ns;
      longestNs = Math.max(longestNs, ns);
      timesNs.push(ns / dispatches);
    },

    finished() {
      const n = timesNs.length;
      const spentNs = nowNs() - beganNs;
      const isCapped = spentNs >= policy.maxWallNs;
      if (n >= nextLook && hasEnough()) {
        if (!policy.rankable) return 'quick';
        nextLook = Math.ceil(LOOK_AFTER * n);
        const reason = look(spentNs);
        if (reason) return reason;
      }
      if (!isCapped) return null;
      const isKnown =
        n === 0 || !policy.rankable || isSettled(summarise([...timesNs]), policy.interval);
      return isKnown ? 'capped' : 'unsettled';
    },
  };
}
