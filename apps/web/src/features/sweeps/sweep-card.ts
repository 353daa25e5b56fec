import { byPlace, type MeasuredRun, type Sweep } from '@tilemark/core';
import { isCeiling, opOf } from '@tilemark/kernels';
import { formatCount, plural } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import { type Card, type CardBar, MOST_BARS } from '../results/card';
import { IMPORTED } from '../results/origin';
import { peakOf } from '../results/scale';
import { chartKey, oneOfEach, placeOf, policyText, problemText, shortLabels } from './runs';

/** A run as a bar shows it. */
type Shown = Pick<MeasuredRun, 'address' | 'reason' | 'figures' | 'variant'>;

/**
 * The fastest variants of a sweep on one problem, one run of each; in colour the first, if it is
 * ranked. A copy is one only where nothing else ran.
 */
export function sweepBars(
  runs: readonly Shown[],
  /** What tells variants apart is what varies among these. */
  all: readonly Shown[] = runs,
): CardBar[] {
  const isCopy = ({ variant }: Shown) => isCeiling(variant.kernel);
  const others = runs.filter((run) => !isCopy(run));
  const shown = (others.length > 0 ? others : runs)
    .toSorted((a, b) => byPlace(placeOf(a), placeOf(b)))
    .slice(0, MOST_BARS);
  const labels = shortLabels(all);
  return shown.map((run, place) => ({
    label: labels.get(run.address) ?? run.address,
    rate: run.figures.rate,
    note: run.reason === null ? undefined : 'not ranked',
    isSubject: place === 0 && run.reason === null && !isCopy(run),
  }));
}

const peakOfRun = ({ figures: { rate, roofBound: bound, roofShare: share } }: MeasuredRun) =>
  bound === null || share === null ? null : peakOf(rate, { bound, share });

const unitOf = ({ problem }: MeasuredRun) => opOf(problem).rateUnit(problem);

/**
 * How all runs of a sweep ended, and the fastest variants on the problem of the fastest: of those in
 * the unit of the first run, with which the charts of its page open.
 */
export function sweepCard(
  { counts, isImported, name }: Pick<Sweep, 'counts' | 'isImported' | 'name'>,
  runs: readonly MeasuredRun[],
): Card {
  const { total, ...kinds } = counts;
  const ended = Object.entries(kinds)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatCount(count)} ${kind}`);
  const all = `${isImported ? `${plural(total, 'run')}, ${IMPORTED}` : plural(total, 'run')}: ${ended.join(', ')}`;
  const [fastest] = runs
    .filter((run, _, [first]) => first && unitOf(run) === unitOf(first))
    .toSorted((a, b) => byPlace(placeOf(a), placeOf(b)));
  if (!fastest) return { title: name, about: all, groups: [], unit: '' };
  const { device, policy, problem, profile, variant } = fastest;
  const alike = oneOfEach(runs.filter((run) => chartKey(run) === chartKey(fastest)));
  const bars = sweepBars(alike, runs);
  const isSingle = bars.length === 1;
  // Several have the fastest to compare with.
  const peak = isSingle ? peakOfRun(fastest) : null;
  const isOnePolicy = runs.every((run) => run.policy === policy);
  const what = isCeiling(variant.kernel)
    ? 'a copy, the ceiling of transposes, with as many bytes as'
    : `${isSingle ? 'the only variant measured' : 'the fastest variants'}${isOnePolicy ? '' : ` in ${policyText(policy)}`} on`;
  const where = `${problemText(problem)}, ${profile}, ${shortDeviceName(device.name)}`;
  return {
    title: name,
    about: `${all}. Shown: ${what} ${where}`,
    // The peak stands beside the name.
    groups: [{ peak, bars, isOrdered: true, ...(isSingle && { name: problemText(problem) }) }],
    unit: unitOf(fastest),
  };
}
