import type { LeaderboardRow, ReferenceFigure } from '@tilemark/core';
import { isCeiling } from '@tilemark/kernels';
import { shortDeviceName } from '../devices/device-name';
import type { CardBar } from '../results/card';
import { ELSEWHERE } from '../results/origin';

type Row = Pick<
  LeaderboardRow,
  'address' | 'author' | 'device' | 'imported' | 'rate' | 'unranked' | 'variant'
>;
type Figure = Pick<ReferenceFigure, 'by' | 'hardware' | 'rate'>;

/**
 * A board: our kernels as measured and ranked here, the others, then the reference. A ceiling is no transpose, and reports
 * ran code of their own, some of it doubtful: both stay out.
 *
 * @param figures the best of each, as a board shows them
 */
export function boardBars(rows: readonly Row[], figures: readonly Figure[]): CardBar[] {
  const bars = rows.map(
    ({ author, device, imported, rate, unranked, variant }): CardBar => ({
      label: `${shortDeviceName(device.name)}: ${variant.kernel}`,
      rate: rate.value,
      isSubject: true,
      note:
        [imported && 'imported', author && 'contributed', unranked && 'not ranked']
          .filter(Boolean)
          .join(', ') || undefined,
    }),
  );
  return [
    ...bars.filter(({ note }) => note === undefined),
    ...bars.filter(({ note }) => note !== undefined),
    ...figures.flatMap(({ by, hardware, rate }): CardBar[] => {
      if (by.kind === 'report' || (by.kind === 'kernel' && isCeiling(by.kernel))) return [];
      // A shipped figure whose result was imported is a row already.
      const isRow = ({ address, device }: Row) =>
        by.kind === 'kernel' && address === by.address && device.name === hardware;
      if (rows.some(isRow)) return [];
      return [
        {
          label: `${shortDeviceName(hardware ?? 'Unknown hardware')}: ${by.kind === 'kernel' ? by.kernel : by.name}`,
          rate: rate.value,
          isSubject: by.kind === 'kernel',
          note: ELSEWHERE,
        },
      ];
    }),
  ];
}
