import type { Sample } from '@tilemark/kernels';
import { ascending, mean } from 'd3-array';
import type { StopReason } from './outcome';
import type { Policy } from './policy';
import { coefficientOfVariation, medianInterval } from './stats';

/** A sample of a series, as a stopping rule sees it. */
export interface TimedSample extends Pick<Sample, 'ns'> {
  /** Dispatches that share the sample's time. */
  readonly dispatches: number;
}

/** Decides when a series has been measured well enough. */
export interface StoppingRule {
  /** Starts the clock of a series and forgets the one before. */
  begin(): void;
  add(sample: TimedSample): void;
  /** Why the series may end now; null while it has to go on. */
  finished(): StopReason | null;
}

/** A sample longer than this makes `minSamplesSlow` enough, ns. */
const SLOW_SAMPLE_NS = 200e6;

/** Samples between two looks at a series, whose sorting would otherwise cost more than its sampling. */
const STRIDE = 16;

/** The noise has settled once the last `window` CVs are within 5% of the current one. */
const PLATEAU = { samples: 64, window: 512, relativeDeviation: 0.05 };

/**
 * Ends a series as `converged` when the interval of its median and its CV are
 * inside the policy; as `noisy` when the CV is outside and has stopped moving,
 * so that more samples would not help; as `capped` at the policy's wall time;
 * as `quick` when a policy that is never ranked has its few samples. The noise
 * criterion is that of NVIDIA/nvbench (stdrel_criterion).
 *
 * @param nowNs a monotonic clock, ns
 */
export function stoppingRule(policy: Policy, nowNs: () => number): StoppingRule {
  let beganNs = 0;
  let totalNs = 0;
  let longestNs = 0;
  let timesNs: number[] = [];
  let noise: number[] = [];
  let nextLook = 0;

  const hasEnough = () =>
    totalNs >= policy.minTotalNs &&
    timesNs.length >= (longestNs > SLOW_SAMPLE_NS ? policy.minSamplesSlow : policy.minSamples);

  const isPlateau = (cv: number) => {
    if (timesNs.length <= PLATEAU.samples) return false;
    const deviation = Math.sqrt(mean(noise, (past) => (past - cv) ** 2) ?? 0);
    return deviation < PLATEAU.relativeDeviation * cv;
  };

  return {
    begin() {
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
      noise.push(coefficientOfVariation(timesNs));
      if (noise.length > PLATEAU.window) noise.shift();
    },

    finished() {
      const n = timesNs.length;
      const isCapped = nowNs() - beganNs >= policy.maxWallNs;
      if (n < nextLook && !isCapped) return null;
      nextLook = n > PLATEAU.samples ? n + STRIDE : n + 1;
      if (n > 0 && hasEnough()) {
        if (!policy.rankable) return 'quick';
        const { median, low, high } = medianInterval([...timesNs].sort(ascending));
        const halfWidth = Math.max(high - median, median - low) / median;
        const cv = noise.at(-1) ?? 0;
        if (halfWidth <= policy.interval && cv <= policy.cv) return 'converged';
        if (cv > policy.cv && isPlateau(cv)) return 'noisy';
      }
      return isCapped ? 'capped' : null;
    },
  };
}
