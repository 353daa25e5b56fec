import {
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
} from '@tanstack/react-table';
import {
  hasInterval,
  isMeasured,
  metricsOf,
  type Occupancy,
  type RunFigures,
  type RunView,
  variantOccupancy,
} from '@tilemark/core';
import { arithmeticIntensity, DTYPES, KERNELS, rateOf, shapeText, volume } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { TextLink } from '@/ui/button';
import { Rate, Timing } from '@/ui/facts';
import {
  formatIntensity,
  formatInterval,
  formatMetric,
  formatNs,
  formatOfPeak,
  formatPercent,
  formatShape,
  formatSpeedup,
  rateText,
} from '@/ui/format';
import { deviceHref, shortDeviceName } from '../../devices/device-name';
import { ComparableVariant, VariantLink } from '../../kernels/address';
import { OutcomeBadge, RoofText } from '../../results/outcome';
import { overPeak } from '../../results/scale';
import type { DeviceFacts } from '../load';
import { problemText, speedups } from '../runs';

/** A run with what only its neighbours or its device tell. */
export interface TableRun {
  readonly run: RunView;
  readonly speedup: number | undefined;
  readonly occupancy: Occupancy | undefined;
  /** Null where all runs have the same one, which is said above the table. */
  readonly reason: string | null;
  /** Its device and profile, each where runs differ in it. */
  readonly where: readonly string[];
}

/** What keeps every one of several runs from being ranked; null where they differ. */
export const sharedReason = (runs: readonly RunView[]): string | null =>
  runs.length > 1 && runs.every(({ reason }) => reason === runs[0]?.reason)
    ? (runs[0]?.reason ?? null)
    : null;

/** Runs with their speed-up over naive and, where the device is known, their occupancy. */
export function tableRuns(runs: readonly RunView[], devices: readonly DeviceFacts[]): TableRun[] {
  const ratios = speedups(runs.filter(isMeasured));
  const known = new Set(KERNELS.map(({ id }) => id));
  const identities = new Map(devices.map(({ key, identity }) => [key, identity]));
  // A variant has one occupancy on a device, whatever the size of its problems.
  const occupancies = new Map<string, Occupancy | undefined>();
  const shared = sharedReason(runs);
  const isOfSeveral = (read: (run: RunView) => string) => new Set(runs.map(read)).size > 1;
  const hasDevices = isOfSeveral(({ device }) => device.key);
  const hasProfiles = isOfSeveral(({ profile }) => profile);
  return runs.map((run) => {
    const { address, device, problem, variant } = run;
    const key = `${device.key} ${problem.dtype} ${address}`;
    const identity = identities.get(device.key);
    if (identity && known.has(variant.kernel) && !occupancies.has(key)) {
      occupancies.set(key, variantOccupancy(identity, variant, problem.dtype) ?? undefined);
    }
    return {
      run,
      speedup: ratios.get(run.runId),
      occupancy: occupancies.get(key),
      reason: shared === null ? run.reason : null,
      where: [
        ...(hasDevices ? [shortDeviceName(device.name)] : []),
        ...(hasProfiles ? [run.profile] : []),
      ],
    };
  });
}

export const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

interface Column {
  readonly id: string;
  /** As columns are chosen by. */
  readonly name: string;
  readonly header?: string;
  /** Figures sort from their better end, words from A; what has no value stays last. */
  readonly sort: (row: TableRun) => number | string | undefined;
  readonly better?: 'higher' | 'lower' | null;
  readonly isFigure?: boolean;
  readonly cell: (row: TableRun) => ReactNode;
  /** Whether it says something; absent: always. One that does not is not shown unless chosen. */
  readonly says?: (rows: readonly TableRun[]) => boolean;
}

const differs = (read: (run: RunView) => string) => (rows: readonly TableRun[]) =>
  new Set(rows.map(({ run }) => read(run))).size > 1;

/** Of what the variant's cell says where runs differ in it: a table of everything is too wide. */
const NEVER = () => false;

/** What stands beside a median of few samples. */
const aboutFew = (samples: number): string =>
  samples === 1
    ? 'One sample has neither an interval nor a range'
    : 'Range of the samples, which are too few for a 95% interval';

/** Metrics that say more than their figure, and those that others say. */
const DRAWN: Partial<
  Record<keyof RunFigures, ((run: RunView, of: RunFigures) => ReactNode) | null>
> = {
  rate: ({ problem }, { medianNs }) => <Rate of={rateOf(problem, medianNs)} />,
  medianNs: (_, figures) => (
    <Timing
      of={figures}
      {...(!hasInterval(figures.samples) && { about: aboutFew(figures.samples) })}
    />
  ),
  roofShare: (_, { roofBound: bound, roofShare: share }) => (
    <RoofText of={share === null || bound === null ? null : { share, bound }} />
  ),
  samples: null,
  lowNs: null,
  highNs: null,
  roofBound: null,
};

/** The usual ones first; a metric that is new on the list comes after them. */
const ORDER = ['rate', 'medianNs', 'roofShare'];
const placeOf = (id: string) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);

/** Ids under which links of the past ask for columns and sorting. */
const COLUMN_IDS: Readonly<Record<string, string>> = { medianNs: 'median', roofShare: 'roof' };

const metricColumns: readonly Column[] = metricsOf('runs')
  .filter(({ id }) => DRAWN[id as keyof RunFigures] !== null)
  .toSorted((a, b) => placeOf(a.id) - placeOf(b.id))
  .map(({ better, digits, id, name, unit }) => {
    const read = ({ run }: TableRun) => run.figures?.[id as keyof RunFigures] ?? undefined;
    return {
      id: COLUMN_IDS[id] ?? id,
      name,
      header: id === 'rate' ? 'Rate (higher is better)' : name,
      isFigure: true,
      better,
      sort: read,
      says: (rows: readonly TableRun[]) =>
        ['rate', 'medianNs'].includes(id) || rows.some((row) => read(row) !== undefined),
      cell: (row: TableRun) => {
        const { run } = row;
        if (!run.figures) return null;
        const value = read(row);
        return (
          DRAWN[id as keyof RunFigures]?.(run, run.figures) ??
          (value === undefined ? '–' : formatMetric(unit, digits, value))
        );
      },
    };
  });

export const COLUMNS: readonly Column[] = [
  {
    id: 'variant',
    name: 'Variant',
    sort: ({ run }) => run.address,
    cell: (row) => <VariantCell of={row} />,
  },
  {
    id: 'problem',
    name: 'Problem',
    better: 'lower',
    sort: ({ run }) => volume(run.problem),
    cell: ({ run }) => <ProblemCell run={run} />,
    says: differs(({ problem }) => problemText(problem)),
  },
  ...metricColumns,
  {
    id: 'speedup',
    name: 'Over the fastest naive',
    isFigure: true,
    better: 'higher',
    sort: ({ speedup }) => speedup,
    cell: ({ speedup }) => (speedup === undefined ? '–' : formatSpeedup(speedup)),
    says: (rows) => rows.some(({ speedup }) => speedup !== undefined),
  },
  {
    id: 'occupancy',
    name: 'Occupancy',
    isFigure: true,
    better: 'higher',
    sort: ({ occupancy }) => occupancy?.part,
    cell: ({ occupancy }) => <OccupancyCell of={occupancy} />,
    says: (rows) => rows.some(({ occupancy }) => occupancy),
  },
  {
    id: 'outcome',
    name: 'Outcome',
    sort: ({ run }) => run.kind,
    cell: ({ run }) => <OutcomeBadge kind={run.kind} />,
    says: differs(({ kind }) => kind),
  },
  {
    id: 'device',
    name: 'Device',
    sort: ({ run }) => run.device.name,
    cell: ({ run: { device } }) => (
      <TextLink
        href={deviceHref(device.key)}
        prefetch={false}
        className="inline-block max-w-36 truncate align-bottom"
        title={device.name}
      >
        {shortDeviceName(device.name)}
      </TextLink>
    ),
    says: NEVER,
  },
  {
    id: 'profile',
    name: 'Profile',
    sort: ({ run }) => run.profile,
    cell: ({ run }) => run.profile,
    says: NEVER,
  },
];

const helper = createColumnHelper<typeof features, TableRun>();

export const TABLE_COLUMNS = helper.columns(
  COLUMNS.map(({ better, cell, header, id, name, sort }) =>
    helper.accessor(sort, {
      id,
      header: header ?? name,
      cell: ({ row }) => cell(row.original),
      sortUndefined: 'last',
      sortFn: better === undefined ? 'alphanumeric' : 'auto',
      sortDescFirst: better === 'higher',
    }),
  ),
);

/**
 * The columns shown unless others are chosen: those that say something. A problem, device or
 * profile that all runs share is said once, above the table; a device and profile in which they
 * differ beside the variant.
 */
export const usualColumns = (rows: readonly TableRun[]): string[] =>
  COLUMNS.filter(({ says }) => says?.(rows) ?? true).map(({ id }) => id);

function VariantCell({ of: { reason, run, where } }: { of: TableRun }) {
  return (
    <div className="min-w-44 sm:min-w-52">
      {run.figures && run.resultId !== null ? (
        <ComparableVariant
          address={run.address}
          resultId={run.resultId}
          on={`${run.device.name}, ${formatShape(shapeText(run.problem))} ${run.problem.dtype}`}
        />
      ) : (
        <VariantLink address={run.address} resultId={run.resultId} />
      )}
      {where.length > 0 && <p className="text-xs text-muted max-sm:hidden">{where.join(', ')}</p>}
      {/* On a phone the other columns are hidden. */}
      <p className="sm:hidden">
        {[problemText(run.problem), ...where].join(', ')}:{' '}
        {run.figures
          ? `${rateText(rateOf(run.problem, run.figures.medianNs))}, ${timingText(run.figures)}`
          : run.kind}
      </p>
      {reason && <p className="max-w-prose text-xs wrap-anywhere text-muted">{reason}</p>}
    </div>
  );
}

/** `1.234 ms ±0.3%, 45% of peak`, or `6.5% of peak by data sheet` */
function timingText(figures: RunFigures): string {
  const { highNs, lowNs, medianNs, roofBound, roofShare, samples } = figures;
  const interval = formatInterval(medianNs, lowNs, highNs, samples).replace(' ', '\u00a0');
  const timing = `${formatNs(medianNs)} ${interval}`;
  if (roofShare === null || roofBound === null) return timing;
  const by = roofBound === 'by data sheet' ? ` ${roofBound}` : '';
  const over = overPeak({ share: roofShare, bound: roofBound });
  return `${timing}, ${formatOfPeak(roofShare)} of peak${by}${over ? ` (${over})` : ''}`;
}

function ProblemCell({ run: { problem } }: { run: RunView }) {
  const flopPerByte = arithmeticIntensity(problem);
  return (
    <span className="whitespace-nowrap">
      {problem.op} {formatShape(shapeText(problem))}{' '}
      <span className="text-muted">{problem.dtype}</span>
      {flopPerByte > 0 && (
        <span className="block text-xs text-muted" title="Arithmetic intensity of the problem">
          {formatIntensity(flopPerByte, DTYPES[problem.dtype].isInteger)}
        </span>
      )}
    </span>
  );
}

/** Theoretical: registers, which WebGPU does not report, may allow less. */
function OccupancyCell({ of }: { of: Occupancy | undefined }) {
  if (!of) return '–';
  return (
    <span
      title={`${of.activeSubgroups} of ${of.maxSubgroups} warps per multiprocessor, in theory; limited by ${of.limitedBy}`}
    >
      {formatPercent(of.part)}
    </span>
  );
}
