import { z } from 'zod';
import type { EnergyPlan } from './energy';

export const POLICY_IDS = ['default', 'energy', 'screen', 'smoke'] as const;
export const policyIdSchema = z.enum(POLICY_IDS);
export type PolicyId = z.infer<typeof policyIdSchema>;

/** How long and how precisely to measure. docs/measure.md explains the numbers. */
export interface Policy {
  readonly id: PolicyId;
  /** Results of a policy that is not rankable are shown but never ranked. */
  readonly rankable: boolean;
  readonly minSampleNs: number;
  readonly minSampleTicks: number;
  readonly warmup: { readonly samples: number; readonly ns: number };
  /** Consecutive dispatches of the warm-up that are all verified, as many as fit into this long. */
  readonly stretch: { readonly dispatches: number; readonly ns: number };
  /** Dispatches on the same inputs whose outputs must have the same bits, as many as fit into this long. */
  readonly repeats: { readonly dispatches: number; readonly ns: number };
  readonly minSamples: number;
  /** Fewer are never ranked; enough for a policy that is not, if one sample takes more than 200 ms. */
  readonly minSamplesSlow: number;
  readonly minTotalNs: number;
  /** Half width of the 95% interval of the median, relative. */
  readonly interval: number;
  readonly maxWallNs: number;
  /** Whether to measure a hot series too: the same buffers again and again. */
  readonly hot: boolean;
  /** Whether to time the upload of the inputs, which takes longer than a quick policy's samples. */
  readonly timeUpload: boolean;
  /** Absent: energy is not measured. */
  readonly energy?: EnergyPlan;
  /** A duel that follows the run ends after this long. */
  readonly longestDuelNs: number;
}

const DEFAULT: Policy = {
  id: 'default',
  rankable: true,
  minSampleNs: 1e6,
  minSampleTicks: 200,
  warmup: { samples: 2, ns: 0.5e9 },
  stretch: { dispatches: 64, ns: 0.5e9 },
  repeats: { dispatches: 20, ns: 0.5e9 },
  minSamples: 30,
  minSamplesSlow: 10,
  minTotalNs: 0.5e9,
  interval: 0.005,
  maxWallNs: 15e9,
  hot: true,
  timeUpload: true,
  longestDuelNs: 30e9,
};

export const POLICIES: Readonly<Record<PolicyId, Policy>> = {
  default: DEFAULT,
  // Timed as by default, so that its results are ranked with those.
  energy: { ...DEFAULT, id: 'energy', energy: { stretches: 3, stretchNs: 5e9 } },
  // For comparing designs by the thousand. The warm-up is long enough for a GPU that has idled for
  // a moment: on an NVIDIA H200, 15 ms gave a quarter of the rate (2026-11-21). Where a canary
  // watches the device, it alone says how long to warm up.
  screen: {
    id: 'screen',
    rankable: false,
    minSampleNs: 1e6,
    minSampleTicks: 200,
    warmup: { samples: 1, ns: 0.15e9 },
    stretch: { dispatches: 4, ns: 0.05e9 },
    repeats: { dispatches: 0, ns: 0 },
    minSamples: 7,
    minSamplesSlow: 2,
    minTotalNs: 20e6,
    interval: Number.POSITIVE_INFINITY,
    maxWallNs: 2e9,
    hot: false,
    timeUpload: false,
    longestDuelNs: 1e9,
  },
  smoke: {
    id: 'smoke',
    rankable: false,
    minSampleNs: 0,
    minSampleTicks: 0,
    warmup: { samples: 1, ns: 0 },
    stretch: { dispatches: 4, ns: 0.05e9 },
    repeats: { dispatches: 20, ns: 0.5e9 },
    minSamples: 5,
    minSamplesSlow: 5,
    minTotalNs: 0,
    interval: Number.POSITIVE_INFINITY,
    maxWallNs: 15e9,
    hot: true,
    timeUpload: true,
    longestDuelNs: 1e9,
  },
};
