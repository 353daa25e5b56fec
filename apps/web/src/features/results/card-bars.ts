import {
  type LeaderboardRow,
  type MeasuredRun,
  outcomeReason,
  peakShare,
  type ReferenceFigure,
  type RunResult,
  type Sweep,
} from '@tilemark/core';
import { isCeiling, opOf, shortAddress } from '@tilemark/kernels';
import { rollups } from 'd3-array';
import { cutTo, formatCount, plural, rateText } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import type { PictureRow } from '../overview/picture-rows';
import { groupKey, problemText } from '../sweeps/runs';
import type { Card, CardBar, CardGroup } from './card';
import { peakText } from './scale';

/** What is said of a bar that this grid has not measured. */
export const ELSEWHERE = 'measured elsewhere';

/** A board: what was measured here, imports, then the reference. A ceiling is no transpose, and stays out. */
export function boardBars(
  rows: readonly Pick<LeaderboardRow, 'address' | 'device' | 'imported' | 'rate'>[],
  figures: readonly Pick<ReferenceFigure, 'by' | 'hardware' | 'rate'>[],
): CardBar[] {
  const own = rows.map(
    ({ address, device, imported, rate }): CardBar => ({
      label: `${shortDeviceName(device.name)}: ${shortAddress(address)}`,
      rate: rate.value,
      isSubject: true,
      note: imported ? 'imported' : undefined,
    }),
  );
  return [
    ...own.filter(({ note }) => note === undefined),
    ...own.filter(({ note }) => note !== undefined),
    ...figures
      .filter(({ by }) => by.kind === 'library' || !isCeiling(by.kernel))
      .map(({ by, hardware, rate }) => ({
        label: `${shortDeviceName(hardware ?? 'Unknown hardware')}: ${by.kind === 'library' ? by.name : shortAddress(by.address)}`,
        rate: rate.value,
        isSubject: by.kind === 'kernel',
        note: ELSEWHERE,
      })),
  ];
}

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

/** What the pictures say of what this grid took from a file, as its pages do. */
const IMPORTED = 'measured elsewhere and imported';

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

/**
 * A result in colour, beside the best of its device on the problem, against the device's peak. One
 * without a rate stands alone: nothing else is to be taken for what is wrong.
 */
export function resultCard(
  result: Pick<
    RunResult,
    'address' | 'device' | 'imported' | 'outcome' | 'problem' | 'profile' | 'rate' | 'resultId'
  >,
  best: Pick<RunResult, 'address' | 'imported' | 'outcome' | 'rate' | 'resultId'> | undefined,
): Card {
  const { address, device, imported, outcome, problem, profile, rate } = result;
  const where = `${problemText(problem)}, ${profile}, on ${shortDeviceName(device.name)}`;
  const about = [
    where,
    ...(isCeiling(kernelOf(address)) ? ['a copy, the ceiling of transposes'] : []),
    ...(imported ? [IMPORTED] : []),
    ...(outcome?.kind === 'measured' && outcome.measurement.unranked !== null
      ? ['not ranked']
      : []),
  ].join('; ');
  if (!rate || outcome?.kind !== 'measured') {
    const [reason] = outcomeReason(outcome)?.split('\n') ?? [];
    return {
      title: `${capitalised(outcome?.kind ?? 'pending')}: ${shortAddress(address)}`,
      about: reason ? `${about}: ${reason}` : about,
      ...{ groups: [], unit: '' },
    };
  }
  const bars: CardBar[] = [{ label: shortAddress(address), rate: rate.value, isSubject: true }];
  if (best?.rate && best.resultId !== result.resultId) {
    const what = outcomeReason(best.outcome) === null ? 'Best ranked' : 'Best, not ranked';
    bars.push({
      label: `${what}: ${shortAddress(best.address)}`,
      rate: best.rate.value,
      note: best.imported ? 'imported' : undefined,
    });
  }
  const { cold, roof } = outcome.measurement;
  const near = peakShare({ device, problem, medianNs: cold.medianNs, roof });
  const peak = near && {
    rate: rate.value / near.share,
    isMeasured: near.bound !== 'by data sheet',
    bound: near.bound,
  };
  return {
    title: rateText(rate),
    about: peak ? `${about}. Full bar: ${peakText(peak)}` : about,
    ...{ groups: [{ peak, bars }], unit: rate.unit },
  };
}

/** As many names of devices and bars beneath them as a card has room for. */
const MOST_LINES = 10;

/** As many letters of a device as fit beside its shape and its peak. */
const LONGEST_NAME = 32;

/** The rows of the first screen, as it draws them: libraries where all devices leave them room. */
export function overviewGroups(rows: readonly PictureRow[]): CardGroup[] {
  let room = MOST_LINES - 2 * rows.length;
  return rows.map(({ href, imported, kernel, libraries, name, peak, rate, shape }) => {
    const beside = libraries.slice(0, room);
    room -= beside.length;
    const origin = href === null ? [ELSEWHERE] : imported ? ['imported'] : [];
    return {
      name: [cutTo(LONGEST_NAME, shortDeviceName(name)), ...origin, `at ${shape}`].join(', '),
      peak,
      bars: [
        { label: kernel, rate, isSubject: true },
        ...beside.map((library) => ({
          ...{ label: library.name, rate: library.rate },
          note: href === null ? undefined : ELSEWHERE,
        })),
      ],
    };
  });
}

const kernelOf = (address: string): string => address.replace(/\[.*$/, '');

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
