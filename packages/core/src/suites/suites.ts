/**
 * Suites: named, versioned sweeps that everyone can run the same way, so that results of
 * different devices and dates compare. `layouts` at n = 2048 means the same runs everywhere.
 *
 * - To add a suite, write it as a `Suite` value in the file of its subject (ladders.ts,
 *   layouts.ts, ...) and list it in SUITES below; form, API, CLI, and docs follow the list.
 * - When the runs of a suite change, raise its version: sweeps keep `id@version`.
 * - `standing` says which classes of device run it automatically when first seen.
 * - reports.json has the figures of the reports that suites reproduce, by suite, as printed. They are
 *   other people's, shown beside ours and never ranked; titles are ours, after the subject.
 */
import { didYouMean, InputError, parseProblem, parseVariant, rateOf } from '@tilemark/kernels';
import type { Published, PublishedFigure } from '../api/suite';
import type { NewSweep } from '../api/sweep';
import type { DeviceClass } from '../measure/device';
import type { SweepSpec } from '../plan/spec';
import { threadsPerBlock, tiledVsNaive, tilingLadder, transposeLadder } from './ladders';
import { blockSize, hostVsDevice, layouts, microOptimisations } from './layouts';
import { peak } from './peak';
import reports from './reports.json';
import { sentinel } from './sentinel';
import { quick, starter } from './starter';
import type { Suite, SuiteParam } from './suite';
import { decode, prefill } from './weights';

/** Every suite, in the order in which they are shown. */
export const SUITES: readonly Suite[] = [
  starter,
  quick,
  tilingLadder,
  tiledVsNaive,
  threadsPerBlock,
  layouts,
  blockSize,
  microOptimisations,
  hostVsDevice,
  transposeLadder,
  peak,
  sentinel,
  decode,
  prefill,
];

/** `starter@1`: how a sweep names the suite it came from. */
export const suiteRef = (suite: Suite): string => `${suite.id}@${suite.version}`;

/** Throws `InputError` at `suite` if no suite has this id. */
export function findSuite(id: string): Suite {
  const suite = SUITES.find((candidate) => candidate.id === id);
  if (suite) return suite;
  const known = SUITES.map((candidate) => candidate.id);
  throw new InputError(
    `There is no suite ${JSON.stringify(id)}. ${didYouMean(id, known, 'Suites')}`,
    'suite',
  );
}

/**
 * The sweep of a suite, with defaults for the parameters left out.
 * Throws `InputError` at `suite` or `params.<name>`.
 */
export function suiteSpec(id: string, params: Readonly<Record<string, number>> = {}): SweepSpec {
  const suite = findSuite(id);
  for (const name of Object.keys(params)) {
    if (!suite.params.some((param) => param.name === name)) {
      const known = suite.params.map((param) => param.name).join(', ') || 'none';
      throw new InputError(
        `Suite ${id} has no parameter ${JSON.stringify(name)}. Its parameters: ${known}.`,
        `params.${name}`,
      );
    }
  }
  return suite.spec(
    Object.fromEntries(suite.params.map((param) => [param.name, checkedValue(param, params)])),
  );
}

function checkedValue(param: SuiteParam, params: Readonly<Record<string, number>>): number {
  const { name, min, max } = param;
  const value = params[name] ?? param.default;
  if (!Number.isInteger(value) || !(value >= min && value <= max)) {
    throw new InputError(
      `${name} must be a whole number from ${min} to ${max}${Number.isNaN(value) ? '' : `, not ${value}`}.`,
      `params.${name}`,
    );
  }
  return value;
}

/**
 * What a request asks for: a suite's sweep, but for what the request says otherwise. Throws InputError
 * naming the field at fault.
 */
export function requestedSpec(sweep: NewSweep): SweepSpec {
  if ('spec' in sweep) return sweep.spec;
  const { devices, epilogue, params, policy, profiles, suite } = sweep;
  return {
    ...suiteSpec(suite, params),
    ...(profiles && { profiles }),
    ...(policy && { policy }),
    ...(epilogue && { epilogue }),
    ...(devices && { devices }),
  };
}

/** A suite that devices of a class run automatically, and its sweep there. */
interface StandingSuite {
  readonly suite: Suite;
  /** Every parameter: smaller than the default where the device is slow. */
  readonly params: Readonly<Record<string, number>>;
  readonly spec: SweepSpec;
}

export function standingSuites(deviceClass: DeviceClass): StandingSuite[] {
  return SUITES.flatMap((suite) => {
    const params = suite.standing?.[deviceClass];
    if (!params) return [];
    const chosen: Readonly<Record<string, number | undefined>> = params;
    const all = Object.fromEntries(
      suite.params.map((param) => [param.name, chosen[param.name] ?? param.default]),
    );
    return [{ suite, params: all, spec: suiteSpec(suite.id, all) }];
  });
}

/** A report as it was printed, without what follows from its figures; null: it does not say. */
interface Report extends Omit<Published, 'suite' | 'bytesPerElement' | 'results' | 'transfers'> {
  readonly bytesPerElement?: number;
  readonly results: readonly Printed[];
  readonly transfers?: readonly (Omit<Published['transfers'][number], 'problem'> &
    Pick<Printed, 'problem'>)[];
}

interface Printed {
  readonly label: string;
  readonly address: string;
  /** Op, shape, and dtype. */
  readonly problem: string;
  readonly timeMs: number;
  readonly note?: string | null;
}

/** By the id of the suite that reproduces it. */
const REPORTS: ReadonlyMap<string, Report> = new Map(Object.entries(reports));

/** Every report that a suite reproduces, in the order of the suites. */
export const allPublished = (): Published[] =>
  SUITES.flatMap(({ id }) => publishedOfSuite(id) ?? []);

/** The report a suite reproduces, by the suite's id or reference (`layouts@1`); null if none. */
export function publishedOfSuite(ref: string): Published | null {
  const [suite = ''] = ref.split('@');
  const report = REPORTS.get(suite);
  if (!report) return null;
  const { results, transfers = [] } = report;
  return {
    ...{ suite, bytesPerElement: null, ...report, results: results.map(figureOf) },
    transfers: transfers.map((each) => ({ ...each, problem: problemOf(each.problem) })),
  };
}

function problemOf(text: string) {
  const [op = '', shape = '', dtype = ''] = text.split(' ');
  return parseProblem({ op, shape, dtype });
}

function figureOf({ note = null, problem: text, timeMs, ...printed }: Printed): PublishedFigure {
  const { kernel, tunables, address, definition } = parseVariant(printed.address);
  const problem = problemOf(text);
  return {
    label: printed.label,
    variant: { kernel, tunables },
    address,
    problem,
    timeMs,
    note,
    runtime: definition.runsOn === 'cpu' ? 'cpu' : 'cuda',
    rate: rateOf(problem, timeMs * 1e6),
  };
}
