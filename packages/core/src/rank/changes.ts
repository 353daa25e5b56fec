import type { DeviceClass } from '../measure/device';
import type { Contrast } from '../statistics/verdict';
import { contrast } from './head-to-head';
import {
  type Headline,
  headline,
  type Interval,
  type Spread,
  spreadOfRepeats,
  spreadPrior,
} from './headline';

/**
 * Changes: what a variant does under one version of driver, Dawn or browser against the version
 * before it, on one machine. It is slower or faster where a verdict on the two headlines says so,
 * and incorrect where it was right before.
 */

/** A variant as one invocation measured it. */
export interface Visited {
  readonly invocation: string;
  /** The same of results under the same versions. */
  readonly software: string;
  /** Null: the result was incorrect. */
  readonly time: Interval | null;
}

export interface Change<Of extends Visited> {
  readonly kind: 'FAST' | 'SLOW' | 'INCORRECT';
  /** The last result under the version before. */
  readonly before: Of;
  /** The first under the new one; the first incorrect one where it is incorrect. */
  readonly after: Of;
  /** Times as fast as before, with its 95% interval; null where it is incorrect. */
  readonly contrast: Contrast | null;
}

/**
 * The changes that the results of a device's variants show. How much invocations vary is what they
 * show themselves under one version.
 *
 * @param histories of each variant on each machine, the oldest result first; of several of one invocation, the last counts
 */
export function changesIn<Of extends Visited>(
  histories: readonly (readonly Of[])[],
  deviceClass: DeviceClass,
): Change<Of>[] {
  const versioned = histories.map(versionsOf);
  const prior = spreadPrior(deviceClass);
  const repeated = versioned.flat().flatMap((version) => headlineOf(version, prior) ?? []);
  const deviceSpread = spreadOfRepeats(deviceClass, repeated);
  return versioned.flatMap((versions) => changesBetween(versions, deviceSpread));
}

function changesBetween<Of extends Visited>(
  versions: readonly (readonly Of[])[],
  deviceSpread: Spread,
): Change<Of>[] {
  let earlier: readonly Of[] = [];
  return versions.flatMap((version) => {
    const change = changeTo(version, earlier, deviceSpread);
    const right = version.filter(({ time }) => time);
    if (right.length > 0) earlier = right;
    return change ?? [];
  });
}

/** Results in a row under the same versions. */
function versionsOf<Of extends Visited>(results: readonly Of[]): Of[][] {
  const versions: Of[][] = [];
  for (const result of results) {
    const last = versions.at(-1);
    if (last?.[0]?.software === result.software) last.push(result);
    else versions.push([result]);
  }
  return versions;
}

function changeTo<Of extends Visited>(
  later: readonly Of[],
  earlier: readonly Of[],
  deviceSpread: Spread,
): Change<Of> | null {
  const before = earlier.at(-1);
  const [after] = later;
  if (!before || !after) return null;
  const incorrect = later.find(({ time }) => time === null);
  if (incorrect) return { kind: 'INCORRECT', before, after: incorrect, contrast: null };
  const [now, then] = [headlineOf(later, deviceSpread), headlineOf(earlier, deviceSpread)];
  const difference = now && then && contrast(now, then);
  return difference?.verdict === 'FAST' || difference?.verdict === 'SLOW'
    ? { kind: difference.verdict, before, after, contrast: difference }
    : null;
}

/** Null: no result was right. */
function headlineOf(results: readonly Visited[], deviceSpread: Spread): Headline | null {
  const byInvocation = new Map(results.map(({ invocation, time }) => [invocation, time]));
  const times = [...byInvocation.values()].flatMap((time) => time ?? []);
  return times.length > 0 ? headline(times, deviceSpread) : null;
}
