import {
  opOf,
  type Problem,
  resolveVariant,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { Published, PublishedFigure } from '../api';
import { SUITES } from '../suites/registry';
import type { Suite } from '../suites/suite';
import type { PublishedResult, PublishedTable } from './table';

/** Every report that a suite reproduces, in the order of the suites. */
export const allPublished = (): Published[] =>
  SUITES.flatMap((suite) => (suite.published ? [published(suite, suite.published)] : []));

/** The report that a suite reproduces, by the suite's id or reference (`layouts@1`); null where there is none. */
export function publishedOfSuite(ref: string): Published | null {
  const [id] = ref.split('@');
  const suite = SUITES.find((each) => each.id === id);
  return suite?.published ? published(suite, suite.published) : null;
}

/** What reports say of a variant on a problem, each figure with where it comes from. */
export function publishedOf(
  variant: Variant,
  problem: Problem,
): (PublishedFigure & Pick<Published, 'suite' | 'source' | 'hardware'>)[] {
  const key = keyOf(variantAddress(variant), problem);
  return allPublished().flatMap(({ suite, source, hardware, results }) =>
    results
      .filter(({ address, problem: of }) => keyOf(address, of) === key)
      .map((figure) => ({ ...figure, suite, source, hardware })),
  );
}

const keyOf = (address: string, problem: Problem): string =>
  [address, shapeText(problem), problem.dtype].join(' ');

function published(suite: Suite, table: PublishedTable): Published {
  const { source, hardware, results, transfers = [], profiles = [] } = table;
  return {
    suite: suite.id,
    source: { date: null, note: null, ...source },
    hardware,
    results: results.map(figureOf),
    transfers: [...transfers],
    profiles: profiles.map((profile) => ({ block: null, occupancy: null, ...profile })),
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
