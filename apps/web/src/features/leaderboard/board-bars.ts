import type { LeaderboardRow, ReferenceFigure } from '@tilemark/core';
import { isCeiling } from '@tilemark/kernels';
import { shortDeviceName } from '../devices/device-name';
import type { CardBar } from '../results/card';
import { ELSEWHERE } from '../results/origin';

/**
 * A board: what was measured here, imports, then the reference. A ceiling is no transpose, and reports
 * ran code of their own, some of it doubtful: both stay out.
 */
export function boardBars(
  rows: readonly Pick<LeaderboardRow, 'device' | 'imported' | 'rate' | 'variant'>[],
  figures: readonly Pick<ReferenceFigure, 'by' | 'hardware' | 'rate'>[],
): CardBar[] {
  const own = rows.map(
    ({ device, imported, rate, variant }): CardBar => ({
      label: `${shortDeviceName(device.name)}: ${variant.kernel}`,
      rate: rate.value,
      isSubject: true,
      note: imported ? 'imported' : undefined,
    }),
  );
  return [
    ...own.filter(({ note }) => note === undefined),
    ...own.filter(({ note }) => note !== undefined),
    ...figures
      .filter(({ by }) => by.kind === 'library' || (by.kind === 'kernel' && !isCeiling(by.kernel)))
      .map(({ by, hardware, rate }) => ({
        label: `${shortDeviceName(hardware ?? 'Unknown hardware')}: ${by.kind === 'library' ? by.name : by.kernel}`,
        rate: rate.value,
        isSubject: by.kind === 'kernel',
        note: ELSEWHERE,
      })),
  ];
}
