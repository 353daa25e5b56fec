import {
  type LeaderboardRow,
  type MeasuredRun,
  outcomeReason,
  type ReferenceFigure,
  type RunResult,
} from '@tilemark/core';
import { isCeiling, opOf, shortAddress } from '@tilemark/kernels';
import { rollups } from 'd3-array';
import { shortDeviceName } from '../devices/device-name';
import type { CardBar } from './card';

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
 * The variants of a sweep, the fastest first and in colour: each by its full measurement, if it has one
 * beside a screened. A ceiling is none of them.
 */
export function sweepBars(
  runs: readonly Pick<MeasuredRun, 'address' | 'policy' | 'figures' | 'variant'>[],
) {
  const bars = rollups(
    runs.filter(({ variant }) => !isCeiling(variant.kernel)),
    (own): CardBar => {
      const full = own.filter(({ policy }) => policy !== 'screen');
      const rates = (full.length > 0 ? full : own).map(({ figures }) => figures.rate);
      return { label: shortAddress(own[0]?.address ?? ''), rate: Math.max(...rates) };
    },
    ({ address }) => address,
  ).map(([, bar]) => bar);
  return bars
    .toSorted((a, b) => b.rate - a.rate)
    .map((bar, place) => ({ ...bar, isSubject: place === 0 }));
}

/** A result in colour, beside the best of its device on the problem and the device's peak. */
export function resultBars(
  result: Pick<RunResult, 'address' | 'outcome' | 'problem' | 'rate' | 'resultId'>,
  best: Pick<RunResult, 'address' | 'outcome' | 'rate' | 'resultId'> | undefined,
): CardBar[] {
  const { address, outcome, problem, rate } = result;
  const bars: CardBar[] = [];
  if (rate) bars.push({ label: shortAddress(address), rate: rate.value, isSubject: true });
  if (best?.rate && best.resultId !== result.resultId) {
    const what = outcomeReason(best.outcome) === null ? 'Best ranked' : 'Best, not ranked';
    bars.push({ label: `${what}: ${shortAddress(best.address)}`, rate: best.rate.value });
  }
  const roof = outcome?.kind === 'measured' ? outcome.measurement.roof : null;
  if (roof) bars.push({ label: 'The device’s peak', rate: opOf(problem).rate(problem, roof.ns) });
  return bars;
}
