import { type Figures, metricsOf, type RunShown } from '@tilemark/core';
import { rateOf, volume } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { Rate, Timing } from '@/ui/facts';
import { formatMetric, formatNs, formatRate, formatSpeedup } from '@/ui/format';
import { MEDIAN_WITHIN, OVER_NAIVE } from '../../results/columns';
import { OutcomeBadge, RoofText } from '../../results/outcome';
import { problemText } from '../runs';
import { ReportCell, transfersText } from './report';
import { DuelCell, OccupancyCell, SpeedupCell, Two, VariantCell } from './result-cells';
import { type ResultRow, sharedRival } from './table-runs';

interface ResultColumn {
  readonly id: string;
  readonly name: (rows: readonly ResultRow[]) => string;
  /** Figures sort from their better end, words from A; what has no value stays last. */
  readonly sort: (row: ResultRow) => number | string | undefined;
  readonly better?: 'higher' | 'lower' | null;
  readonly isFigure?: boolean;
  readonly cell: (row: ResultRow) => ReactNode;
  /** Whether it says something; absent: always. */
  readonly says?: (rows: readonly ResultRow[]) => boolean;
}

const differs = (read: (run: RunShown) => string) => (rows: readonly ResultRow[]) =>
  new Set(rows.map(({ run }) => read(run))).size > 1;

/** Metrics that say more than their figure, and those that others say. */
const DRAWN: Partial<Record<keyof Figures, ((row: ResultRow, of: Figures) => ReactNode) | null>> = {
  rate: ({ run: { problem } }, { medianNs }) => <Rate of={rateOf(problem, medianNs)} />,
  medianNs: (_, figures) => <Timing of={figures} />,
  roofShare: (_, { roofBound: bound, roofShare: share }) => (
    <RoofText share={share} bound={bound} />
  ),
  hostToDeviceNs: null,
  deviceToHostNs: null,
  samples: null,
  independent: null,
  lowNs: null,
  highNs: null,
  roofBound: null,
};

/** Names that say more than those of the list. */
const NAMES: Partial<Record<string, string>> = {
  rate: 'Rate (higher is better)',
  medianNs: MEDIAN_WITHIN,
};

/** The usual ones first; a metric that is new on the list comes after them. */
const ORDER = ['rate', 'medianNs', 'roofShare'];
const placeOf = (id: string) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);

const metricColumns: readonly ResultColumn[] = metricsOf('runs')
  .filter(({ id }) => DRAWN[id as keyof Figures] !== null)
  .toSorted((a, b) => placeOf(a.id) - placeOf(b.id))
  .map(({ better, digits, id, name, unit }) => {
    const read = ({ run }: ResultRow) => run.figures?.[id as keyof Figures] ?? undefined;
    return {
      id,
      name: () => NAMES[id] ?? name,
      isFigure: true,
      better,
      sort: read,
      says: (rows: readonly ResultRow[]) =>
        ['rate', 'medianNs'].includes(id) || rows.some((row) => read(row) !== undefined),
      cell: (row: ResultRow) => {
        const { run } = row;
        if (!run.figures) return null;
        const value = read(row);
        return (
          DRAWN[id as keyof Figures]?.(row, run.figures) ??
          (value === undefined ? '–' : formatMetric(unit, digits, value))
        );
      },
    };
  });

export const COLUMNS: readonly ResultColumn[] = [
  {
    id: 'variant',
    name: () => 'Variant',
    sort: ({ run }) => run.address,
    cell: (row) => <VariantCell of={row} />,
  },
  {
    id: 'problem',
    name: () => 'Problem',
    better: 'lower',
    sort: ({ run }) => volume(run.problem),
    cell: ({ run }) => problemText(run.problem),
    says: differs(({ problem }) => problemText(problem)),
  },
  ...metricColumns,
  {
    id: 'speedup',
    name: () => OVER_NAIVE,
    isFigure: true,
    better: 'higher',
    sort: ({ speedup }) => speedup?.ratio,
    cell: ({ speedup }) => <SpeedupCell of={speedup} />,
    says: (rows) => rows.some(({ speedup }) => speedup !== undefined),
  },
  {
    id: 'host',
    name: () => 'Over the serial host',
    isFigure: true,
    better: 'higher',
    sort: ({ host }) => host?.ratio,
    cell: ({ host }) => (
      <Two
        first={host && formatSpeedup(host.ratio)}
        below={host?.withTransfers && `${formatSpeedup(host.withTransfers)} with transfers`}
      />
    ),
    says: (rows) => rows.some(({ host }) => host),
  },
  {
    id: 'transfers',
    name: () => 'To the GPU + back',
    isFigure: true,
    better: 'lower',
    sort: ({ run: { figures } }) => figures?.hostToDeviceNs ?? undefined,
    cell: ({ line, run: { figures } }) => {
      const { hostToDeviceNs: there, deviceToHostNs: back } = figures ?? {};
      if (typeof there !== 'number' || typeof back !== 'number') return '–';
      const first = `${formatNs(there)} + ${formatNs(back)}`;
      return <Two first={first} below={line?.transfers && transfersText(line.transfers)} />;
    },
    says: (rows) => rows.some(({ line }) => line?.transfers),
  },
  {
    id: 'counted',
    name: () => 'GB/s as the report counts them',
    isFigure: true,
    better: 'higher',
    sort: ({ counted, run }) => counted && run.figures?.rate,
    cell: ({ counted = Number.NaN, line, run: { figures } }) => (
      <Two
        first={figures ? formatRate(counted * figures.rate) : undefined}
        below={line && `report ${formatRate(counted * line.figure.rate.value)}`}
      />
    ),
    says: (rows) => rows.some(({ counted }) => counted),
  },
  {
    id: 'report',
    name: () => 'In the report, over its fastest naive',
    isFigure: true,
    better: 'lower',
    sort: ({ line }) => line?.ns,
    cell: ({ line, run }) => <ReportCell line={line} problem={run.problem} />,
    says: (rows) => rows.some(({ line }) => line),
  },
  {
    id: 'duel',
    name: (rows) => `Over ${sharedRival(rows.map(({ run }) => run)) ?? 'its rival'}, in turns`,
    isFigure: true,
    better: 'higher',
    sort: ({ run }) => run.duel?.contrast?.ratio,
    cell: (row) => <DuelCell of={row} />,
    says: (rows) => rows.some(({ run }) => run.duel),
  },
  {
    id: 'occupancy',
    name: () => 'Occupancy',
    isFigure: true,
    better: 'higher',
    sort: ({ occupancy }) => occupancy?.part,
    cell: ({ occupancy }) => <OccupancyCell of={occupancy} />,
    says: (rows) => rows.some(({ occupancy }) => occupancy),
  },
  {
    id: 'outcome',
    name: () => 'Outcome',
    sort: ({ run }) => run.kind,
    cell: ({ run }) => <OutcomeBadge kind={run.kind} />,
    says: differs(({ kind }) => kind),
  },
];

/** The columns that say something: what all runs share is said once, above the table. */
export const columnsFor = (rows: readonly ResultRow[]): readonly ResultColumn[] =>
  COLUMNS.filter(({ says }) => says?.(rows) ?? true);

/** Rows by a column, from its better end or from A; those without a value last. */
export function sortedBy(rows: readonly ResultRow[], { better, sort }: ResultColumn): ResultRow[] {
  const order = better === undefined ? byText : byNumber;
  const sign = better === 'higher' ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [sort(a), sort(b)];
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined);
    }
    return sign * order(one, other);
  });
}

const byNumber = (a: number | string, b: number | string): number => Number(a) - Number(b);
const byText = (a: number | string, b: number | string): number =>
  String(a).localeCompare(String(b), 'en', { numeric: true });
