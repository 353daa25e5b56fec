import type { LeaderboardRow, ReferenceFigure } from '@tilemark/core';
import { isCeiling, shortAddress } from '@tilemark/kernels';
import { shortDeviceName } from '../devices/device-name';
import type { CardBar } from '../results/card';
import { ELSEWHERE } from '../results/origin';

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
