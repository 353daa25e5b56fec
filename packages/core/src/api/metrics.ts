import { DTYPES, opOf, type Problem } from '@tilemark/kernels';
import { joulesPerDispatch } from '../measure/energy';
import type { Measurement } from '../measure/outcome';

/**
 * What is shown of a measured run, one metric per entry. Tables, the board, the CSV exports, the
 * API's document and `bench` walk this list (as nvbench's printers walk its summaries), so that a
 * new figure of a measurement is one entry here. Views draw an entry that they do not know by its
 * unit; what they do know (a rate as a bar, a median with its interval) they draw better.
 */

/**
 * How a figure is written. `time`: ns, with SI prefixes; `share`: a part of one, as percent; `u`:
 * roundoffs of the dtype; `G/J`: GFLOP or GB per joule, as the rate is of one or the other.
 */
export type MetricUnit = 'time' | 'share' | 'count' | 'rate' | 'text' | 'G/J' | 'u';

/**
 * A place where a metric appears. `runs`: in `RunShown`, so in the tables of runs on the site; `board`: the
 * leaderboard and its CSV; `export`: the CSV of a sweep and of `bench`; `bench`: the table of `bench`.
 */
type MetricPlace = 'runs' | 'board' | 'export' | 'bench';

export interface Metric<
  Id extends string = string,
  Value = number | string | null,
  Place extends MetricPlace = MetricPlace,
> {
  readonly id: Id;
  /** As a heading says it. */
  readonly name: string;
  readonly unit: MetricUnit;
  /** Significant digits where people read it; files have them all. */
  readonly digits: number;
  /** Null: neither end is better. */
  readonly better: 'higher' | 'lower' | null;
  /** Its column in CSV files; a rate has its unit in a second one, `<csv>_unit`. */
  readonly csv: string;
  /** Where a result of the API has it; null: it follows from other fields. */
  readonly field: string | null;
  readonly places: readonly Place[];
  readonly read: (measurement: Measurement, problem: Problem) => Value;
}

const metric = <
  const Id extends string,
  Value extends number | string | null,
  const Place extends MetricPlace,
>(
  entry: Metric<Id, Value, Place>,
): Metric<Id, Value, Place> => entry;

const MEASUREMENT = 'outcome.measurement';

/** A metric that is a field of the measurement, `cold.minNs`. */
const stated = <const Id extends string, const Place extends MetricPlace>(
  path: string,
  entry: Omit<Metric<Id, number | string | null, Place>, 'field' | 'read'>,
) =>
  metric({
    ...entry,
    field: `${MEASUREMENT}.${path}`,
    read: (measurement) => {
      const partOf = (part: unknown, name: string) =>
        (part as Record<string, unknown> | null)?.[name];
      return (path.split('.').reduce(partOf, measurement) ?? null) as number | string | null;
    },
  });

/** The words of a result whose bits are the same each time, or are not. */
export const repeatableText = (isRepeatable: boolean | undefined): string | null =>
  isRepeatable === undefined ? null : isRepeatable ? 'yes' : 'not repeatable';

const time = { unit: 'time', digits: 4, better: 'lower', places: ['export'] } as const;
const share = { unit: 'share', digits: 2 } as const;

/** The metrics, in the order in which files have them: a new one goes last. */
export const METRICS = [
  metric({
    ...time,
    id: 'medianNs',
    name: 'Median',
    csv: 'median_ns',
    field: `${MEASUREMENT}.cold.medianNs`,
    places: ['runs', 'board', 'export', 'bench'],
    read: ({ cold }) => cold.medianNs,
  }),
  metric({
    ...time,
    id: 'lowNs',
    name: '95% interval, from',
    csv: 'low_ns',
    field: `${MEASUREMENT}.cold.lowNs`,
    places: ['runs', 'board', 'export'],
    read: ({ cold }) => cold.lowNs,
  }),
  metric({
    ...time,
    id: 'highNs',
    name: '95% interval, to',
    csv: 'high_ns',
    field: `${MEASUREMENT}.cold.highNs`,
    places: ['runs', 'board', 'export'],
    read: ({ cold }) => cold.highNs,
  }),
  stated('cold.minNs', { ...time, id: 'minNs', name: 'Minimum', csv: 'min_ns' }),
  stated('cold.q1Ns', { ...time, id: 'q1Ns', name: 'First quartile', csv: 'q1_ns' }),
  stated('cold.q3Ns', { ...time, id: 'q3Ns', name: 'Third quartile', csv: 'q3_ns' }),
  stated('cold.cv', {
    ...share,
    id: 'cv',
    name: 'CV',
    csv: 'cv',
    better: 'lower',
    places: ['export', 'bench'],
  }),
  metric({
    id: 'samples',
    name: 'Samples',
    csv: 'samples',
    unit: 'count',
    digits: 4,
    better: null,
    field: `${MEASUREMENT}.cold.n`,
    places: ['runs', 'export'],
    read: ({ cold }) => cold.n,
  }),
  stated('stop', {
    id: 'stop',
    name: 'Stopped',
    csv: 'stop',
    unit: 'text',
    digits: 0,
    better: null,
    places: ['export'],
  }),
  metric({
    ...time,
    id: 'hotMedianNs',
    name: 'Median with warm cache',
    csv: 'hot_median_ns',
    field: `${MEASUREMENT}.hot.medianNs`,
    // What is not believed of the cold series is not shown of the hot one.
    read: ({ disbelieved, hot }) => (hot && !disbelieved ? hot.medianNs : null),
  }),
  stated('compileNs', { ...time, id: 'compileNs', name: 'Compile', csv: 'compile_ns' }),
  stated('transfer.hostToDeviceNs', {
    ...time,
    id: 'hostToDeviceNs',
    name: 'Host to device',
    csv: 'host_to_device_ns',
    places: ['runs', 'export'],
  }),
  stated('transfer.deviceToHostNs', {
    ...time,
    id: 'deviceToHostNs',
    name: 'Device to host',
    csv: 'device_to_host_ns',
    places: ['runs', 'export'],
  }),
  metric({
    id: 'rate',
    name: 'Rate',
    csv: 'rate',
    unit: 'rate',
    digits: 4,
    better: 'higher',
    field: 'rate.value',
    places: ['runs', 'board', 'export', 'bench'],
    read: ({ cold }, problem) => opOf(problem).rate(problem, cold.medianNs),
  }),
  metric({
    id: 'roofShare',
    name: '% of peak',
    csv: 'part_of_roof',
    better: 'higher',
    ...share,
    field: null,
    places: ['runs', 'board', 'bench'],
    read: ({ cold, roof }) => (roof ? roof.ns / cold.medianNs : null),
  }),
  metric({
    id: 'roofBound',
    name: 'Bound by',
    csv: 'roof_bound',
    unit: 'text',
    digits: 0,
    better: null,
    field: `${MEASUREMENT}.roof.bound`,
    places: ['runs', 'board'],
    read: ({ roof }) => roof?.bound ?? null,
  }),
  metric({
    id: 'rmsError',
    name: 'RMS error',
    csv: 'rms_error',
    unit: 'u',
    digits: 2,
    better: 'lower',
    field: `${MEASUREMENT}.verification.rms`,
    places: ['runs', 'board', 'export', 'bench'],
    // Integers are compared bit for bit.
    read: ({ verification }, { dtype }) => (DTYPES[dtype].isInteger ? null : verification.rms),
  }),
  metric({
    id: 'repeatable',
    name: 'Repeatable',
    csv: 'repeatable',
    unit: 'text',
    digits: 0,
    better: null,
    field: null,
    places: ['runs', 'board', 'export', 'bench'],
    read: ({ verification }) => repeatableText(verification.isRepeatable),
  }),
  metric({
    id: 'perJoule',
    name: 'GFLOP/J or GB/J',
    csv: 'per_joule',
    unit: 'G/J',
    digits: 4,
    better: 'higher',
    field: null,
    places: ['runs', 'board', 'export', 'bench'],
    // A rate is work per ns; so many nJ in place of the ns give work per joule.
    read: ({ energy }, problem) =>
      energy ? opOf(problem).rate(problem, 1e9 * joulesPerDispatch(energy)) : null,
  }),
  metric({
    id: 'independent',
    name: 'Independent samples',
    csv: 'independent_samples',
    unit: 'count',
    digits: 2,
    better: null,
    field: `${MEASUREMENT}.cold.independent`,
    places: ['runs', 'export'],
    read: ({ cold }) => cold.independent,
  }),
] as const;

type Entry = (typeof METRICS)[number];
export type MetricId = Entry['id'];

/** The figures of a `RunShown`: a value for each metric of the place `runs`. */
export type Figures = {
  readonly [Each in Entry as 'runs' extends Each['places'][number]
    ? Each['id']
    : never]: ReturnType<Each['read']>;
};

/** The metrics of a place, in the order of the list; without those that a view draws by itself. */
export const metricsOf = (
  place: MetricPlace,
  drawn: readonly MetricId[] = [],
): readonly Metric<MetricId>[] =>
  (METRICS as readonly Metric<MetricId>[]).filter(
    ({ id, places }) => places.includes(place) && !drawn.includes(id),
  );

/** Values of some metrics, by id. */
export const readMetrics = (
  metrics: readonly Metric<MetricId>[],
  measurement: Measurement,
  problem: Problem,
) => Object.fromEntries(metrics.map(({ id, read }) => [id, read(measurement, problem)]));

const OF_RUNS = metricsOf('runs');

export const figuresOf = (measurement: Measurement, problem: Problem): Figures =>
  readMetrics(OF_RUNS, measurement, problem) as unknown as Figures;

/** The list in words, for the API's document. */
export const metricsText = (): string =>
  METRICS.filter(({ field }) => field !== null)
    .map(({ better, csv, field, name, unit }) =>
      [
        `${name}: \`${field}\``,
        `\`${csv}\` in CSV`,
        unit === 'time' ? 'ns' : unit,
        ...(better ? [`${better} is better`] : []),
      ].join(', '),
    )
    .join('; ');
