/** The rows of a board: results of this grid and, below those of the same hardware, figures of reference. */
import {
  boardFigures,
  type DeviceRef,
  type LeaderboardRow,
  type MetricId,
  type PeakShare,
  peakShare,
  type ReferenceFigure,
} from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { ComparableVariant } from '@/features/kernels/address';
import { ImportedBadge } from '@/features/results/outcome';
import { Ago } from '@/ui/facts';
import type { Barred } from '@/ui/rate-bar';
import { type BoardQuery, GROUP_TITLES, type Group } from './query';
import { FigureSource, keyOf, peakOf, provenance } from './reference-rows';
import { Author, RankNote } from './row-parts';

export interface BoardRow extends Barred {
  readonly key: string;
  /** The heading under which it stands. */
  readonly group: string;
  readonly rank: number | null;
  /** Null: of the reference. */
  readonly device: DeviceRef | null;
  readonly hardware: string;
  readonly isUnconfirmed: boolean;
  /** Why a result of this grid has no rank. */
  readonly unranked: string | null;
  /** Where a figure of reference comes from. */
  readonly source: string | null;
  readonly figures: Readonly<Partial<Record<MetricId, number | string | null>>>;
  readonly peak: PeakShare | null;
  readonly invocations: number;
  readonly speedupOverNaive: number | null;
  readonly variant: ReactNode;
  readonly measured: ReactNode;
  readonly machines: number;
}

const ELSEWHERE = 'Reference: measured elsewhere, never ranked';

/** The heading of a result: its class, contributed kernels by themselves unless ranked together with ours. */
function groupOf({ author, device, rank }: LeaderboardRow, { contributed }: BoardQuery): string {
  if (rank === null) return 'Not ranked';
  const [, title = device.class] = GROUP_TITLES.find(([group]) => group === device.class) ?? [];
  return author && contributed !== 'together' ? `Contributed: ${title}` : title;
}

function ownRow(row: LeaderboardRow, query: BoardQuery, problem: Problem): BoardRow {
  const { address, device, imported, rank, resultId } = row;
  return {
    ...row,
    key: resultId,
    group: groupOf(row, query),
    hardware: device.name,
    isUnconfirmed: rank === 1 && row.confirmation === 'unconfirmed',
    source: null,
    figures: boardFigures(row),
    peak: peakShare({ ...row, problem }),
    variant: (
      <>
        <ComparableVariant address={address} resultId={resultId} on={device.name} />{' '}
        <Author of={row} /> <ImportedBadge of={imported} />
        <RankNote of={row} />
      </>
    ),
    measured: <Ago date={row.measuredAt} />,
  };
}

function referenceRow(figure: ReferenceFigure, group: string): BoardRow {
  const { hardware, interval, measuredAt, medianNs, rate } = figure;
  return {
    key: keyOf(figure),
    group,
    rank: null,
    device: null,
    hardware: hardware ?? 'Unknown hardware',
    isUnconfirmed: false,
    unranked: null,
    source: provenance(figure),
    figures: { medianNs },
    peak: peakOf(figure),
    invocations: 1,
    speedupOverNaive: null,
    variant: <FigureSource figure={figure} />,
    measured: measuredAt?.slice(0, 10) ?? '–',
    machines: 1,
    medianNs,
    rate,
    lowNs: interval?.lowNs,
    highNs: interval?.highNs,
  };
}

const RANKED: readonly Group[] = GROUP_TITLES.map(([group]) => group);

/** All rows in their order: groups as they are listed, the reference beside its hardware, else last. */
export function boardRows(
  rows: readonly LeaderboardRow[],
  figures: readonly ReferenceFigure[],
  query: BoardQuery,
  problem: Problem,
): BoardRow[] {
  const placeOf = ({ author, device, rank }: LeaderboardRow) =>
    (rank === null ? 2 * RANKED.length : 0) +
    (author && query.contributed !== 'together' ? RANKED.length : 0) +
    RANKED.indexOf(device.class);
  const ordered = rows.toSorted((a, b) => placeOf(a) - placeOf(b));
  const lastOf = new Map(ordered.map(({ device: { name } }, at) => [name, at]));
  return [
    ...ordered.flatMap((row, at) => {
      const own = ownRow(row, query, problem);
      const beside = lastOf.get(row.device.name) === at ? figures : [];
      const same = beside.filter(({ hardware }) => hardware === row.device.name);
      return [own, ...same.map((figure) => referenceRow(figure, own.group))];
    }),
    ...figures
      .filter(({ hardware }) => !lastOf.has(hardware ?? ''))
      .map((figure) => referenceRow(figure, ELSEWHERE)),
  ];
}
