import type { MeasuredRun, Sweep } from '@tilemark/core';
import { isCeiling, opOf, shortAddress } from '@tilemark/kernels';
import { rollups } from 'd3-array';
import { formatCount, plural } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import type { Card, CardBar } from '../results/card';
import { IMPORTED } from '../results/origin';
import { groupKey, problemText } from './runs';

/**
 * The variants of a sweep, the fastest first and in colour: those with a full measurement, by it, then
 * those that were only screened. A ceiling is none of them.
 */
export function sweepBars(
  runs: readonly Pick<MeasuredRun, 'address' | 'policy' | 'figures' | 'variant'>[],
) {
  const bars = rollups(
    runs.filter(({ variant }) => !isCeiling(variant.kernel)),
    (own): CardBar => {
      const full = own.filter(({ policy }) => policy !== 'screen');
      const rates = (full.length > 0 ? full : own).map(({ figures }) => figures.rate);
      return {
        ...{ label: shortAddress(own[0]?.address ?? ''), rate: Math.max(...rates) },
        note: full.length > 0 ? undefined : SCREENED,
      };
    },
    ({ address }) => address,
  ).map(([, bar]) => bar);
  return bars
    .toSorted(
      (a, b) => Number(a.note === SCREENED) - Number(b.note === SCREENED) || b.rate - a.rate,
    )
    .map((bar, place) => ({ ...bar, isSubject: place === 0 }));
}

/** What is said of a variant that only a quick run has measured. */
const SCREENED = 'screened, not ranked';

/** How all runs of a sweep ended, and the fastest variants on its first problem that has a result. */
export function sweepCard(
  { counts, isImported, name }: Pick<Sweep, 'counts' | 'isImported' | 'name'>,
  runs: readonly MeasuredRun[],
): Card {
  const [first] = runs;
  const { total, ...kinds } = counts;
  const ended = Object.entries(kinds)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatCount(count)} ${kind}`);
  const all = `${isImported ? `${plural(total, 'run')}, ${IMPORTED}` : plural(total, 'run')}: ${ended.join(', ')}`;
  if (!first) return { title: name, about: all, groups: [], unit: '' };
  const { device, problem, profile } = first;
  const alike = runs.filter((run) => groupKey(run) === groupKey(first));
  return {
    title: name,
    about: `${all}. Shown: the fastest variants on ${problemText(problem)}, ${profile}, ${shortDeviceName(device.name)}`,
    groups: [{ peak: null, bars: sweepBars(alike) }],
    unit: opOf(problem).rateUnit(problem),
  };
}
