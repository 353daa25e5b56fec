import { opOf, resolveVariant } from '@tilemark/kernels';
import type { Published, PublishedFigure } from '../../view/suite';
import type { Suite } from '../suite';
import { SUITES } from '../suites';
import type { PublishedResult, PublishedTable } from './table';

/** Every report that a suite reproduces, in the order of the suites. */
export const allPublished = (): Published[] =>
  SUITES.flatMap((suite) => (suite.published ? [published(suite, suite.published)] : []));

/** The report a suite reproduces, by the suite's id or reference (`layouts@1`); null if none. */
export function publishedOfSuite(ref: string): Published | null {
  const [id] = ref.split('@');
  const suite = SUITES.find((each) => each.id === id);
  return suite?.published ? published(suite, suite.published) : null;
}

function published(suite: Suite, table: PublishedTable): Published {
  const { source, hardware, results, transfers = [], profiles = [] } = table;
  return {
    suite: suite.id,
    source: { date: null, note: null, ...source },
    hardware,
    results: results.map(figureOf),
    transfers,
    profiles: [...profiles],
  };
}

function figureOf({ variant, problem, timeMs, note, ...rest }: PublishedResult): PublishedFigure {
  const { kernel, tunables, address } = resolveVariant(variant.kernel, variant.tunables);
  const op = opOf(problem);
  return {
    ...rest,
    variant: { kernel, tunables },
    address,
    problem,
    timeMs,
    rate: { value: op.rate(problem, timeMs * 1e6), unit: op.rateUnit },
    note: note ?? null,
  };
}
