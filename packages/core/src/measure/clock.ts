import type { Prepared } from '@tilemark/kernels';
import { mean, median } from 'd3-array';
import { z } from 'zod';
import { MAXIMA } from '../schema/maxima';

/** Two regressions of the same samples on the number of their dispatches. */
export const clockSchema = z.object({
  /** Dispatches of the samples. */
  dispatches: z.array(z.number().int().nonnegative()).max(MAXIMA.words),
  /** Slopes: the time of a dispatch by the device's clock and by the wall clock, ns. */
  deviceNs: z.number(),
  wallNs: z.number(),
  /** Intercepts: what a sample takes apart from its dispatches, ns. */
  deviceOverheadNs: z.number(),
  wallOverheadNs: z.number(),
});
export type Clock = z.infer<typeof clockSchema>;

/** The slopes may differ by this much, relative. */
const TOLERANCE = 0.05;

const ROUNDS = 5;
const LONG_ROUNDS = 3;

/** A sample this long, ns, has an overhead beside which nothing is seen: an empty one compares with it. */
const LONG_SAMPLE_NS = 20e6;

/** Samples longer than this, ns, are taken once, and once more of two where the clocks contradict. */
const SLOW_SAMPLE_NS = 1e9;
const SLOW_ATTEMPTS = 2;

/**
 * How often others, four times as long where they are short, are tried before the clocks count as
 * contradicting. A short sample, of 1 ms, ends at 256 ms, beside which other work hardly counts.
 */
const ATTEMPTS = 4;

/**
 * Holds the device's clock to the wall clock: what a further dispatch costs must be the same by
 * both, whatever a sample costs apart from its dispatches. A clock that runs at another rate, or
 * leaves out part of the work, shows in the slopes.
 *
 * @param dispatches of a sample that takes `sampleNs`
 * @param longestNs samples stay under this
 */
export async function regressClock(
  prepared: Pick<Prepared, 'sample'>,
  dispatches: number,
  sampleNs: number,
  longestNs = Number.POSITIVE_INFINITY,
): Promise<Clock> {
  const isLong = sampleNs >= Math.min(LONG_SAMPLE_NS, longestNs / 4);
  for (let attempt = 1; ; attempt++) {
    const isSlow = sampleNs > SLOW_SAMPLE_NS;
    const unit = dispatches * 4 ** (attempt - 1);
    const counts = isLong ? [0, attempt * dispatches] : [unit, 2 * unit, 4 * unit];
    const rounds = isSlow ? 1 : isLong ? LONG_ROUNDS : ROUNDS;
    const clock = await regress(prepared, counts, rounds);
    const nextNs = sampleNs * (isLong ? attempt + 1 : 4 ** (attempt + 1));
    const isLast = attempt === (isSlow ? SLOW_ATTEMPTS : ATTEMPTS) || nextNs > longestNs;
    if (isLast || contradiction(clock) === null) return clock;
  }
}

/**
 * Once more, in passes twice as long, what contradicts: taken after the cold series, when other work
 * that came between the clocks has had seconds to end.
 *
 * @param longestNs samples stay under this
 */
export async function regressAgain(
  prepared: Pick<Prepared, 'sample'>,
  clock: Clock,
  longestNs = Number.POSITIVE_INFINITY,
): Promise<Clock> {
  if (contradiction(clock) === null) return clock;
  const counts = clock.dispatches.map((dispatches) => 2 * dispatches);
  const longest = Math.max(...counts) * clock.wallNs;
  if (longest > longestNs) return clock;
  const isSlow = longest > SLOW_ATTEMPTS * SLOW_SAMPLE_NS;
  const rounds = isSlow ? 1 : counts.includes(0) ? LONG_ROUNDS : ROUNDS;
  return regress(prepared, counts, rounds);
}

/** How the clocks contradict each other, in words; null if they agree. */
export function contradiction({ deviceNs, wallNs }: Clock): string | null {
  if (Math.abs(deviceNs / wallNs - 1) <= TOLERANCE) return null;
  return `the device's clock gives ${(deviceNs / wallNs).toFixed(2)} of the wall clock's time for a dispatch`;
}

async function regress(
  prepared: Pick<Prepared, 'sample'>,
  counts: readonly number[],
  rounds: number,
): Promise<Clock> {
  const device = counts.map((): number[] => []);
  // The wall clock's excess, so that what varies in both does not count.
  const excess = counts.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, dispatches] of counts.entries()) {
      const { ns, wallNs } = await prepared.sample({ dispatches, rotate: true });
      device[i]?.push(ns);
      excess[i]?.push(wallNs - ns);
    }
  }
  const typical = (series: readonly number[][]) => series.map((samples) => median(samples) ?? 0);
  const deviceNs = typical(device);
  const wallNs = typical(excess).map((ns, i) => ns + (deviceNs[i] ?? 0));
  const [byDevice, byWall] = [lineOf(counts, deviceNs), lineOf(counts, wallNs)];
  return {
    dispatches: [...counts],
    deviceNs: byDevice.slope,
    wallNs: byWall.slope,
    deviceOverheadNs: byDevice.intercept,
    wallOverheadNs: byWall.intercept,
  };
}

/** Least squares. */
function lineOf(x: readonly number[], y: readonly number[]): { slope: number; intercept: number } {
  const [mx, my] = [mean(x) ?? 0, mean(y) ?? 0];
  const sum = (term: (i: number) => number) => x.reduce((total, _, i) => total + term(i), 0);
  const dx = (i: number) => (x[i] ?? 0) - mx;
  const slope = sum((i) => dx(i) * ((y[i] ?? 0) - my)) / sum((i) => dx(i) ** 2);
  return { slope, intercept: my - slope * mx };
}
