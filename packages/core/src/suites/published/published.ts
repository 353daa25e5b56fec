import { rateOf, resolveVariant } from '@tilemark/kernels';
import type { Published, PublishedFigure } from '../../view/suite';
import type { Suite } from '../suite';
import { SUITES } from '../suites';
import type { Figure } from './report';

/** Every report that a suite reproduces, in the order of the suites. */
export const allPublished = (): Published[] => SUITES.flatMap((suite) => published(suite) ?? []);

/** The report a suite reproduces, by the suite's id or reference (`layouts@1`); null if none. */
export function publishedOfSuite(ref: string): Published | null {
  const [id] = ref.split('@');
  const suite = SUITES.find((each) => each.id === id);
  return suite ? published(suite) : null;
}

const published = ({ id, published: report }: Suite): Published | null =>
  report ? { suite: id, ...report, results: report.results.map(figureOf) } : null;

function figureOf({ label, note, problem, timeMs, ...asked }: Figure): PublishedFigure {
  const { kernel, tunables, address, definition } = resolveVariant(asked.kernel, asked.tunables);
  return {
    ...{ label, variant: { kernel, tunables }, address, problem, timeMs, note },
    runtime: definition.runsOn === 'cpu' ? 'cpu' : 'cuda',
    rate: rateOf(problem, timeMs * 1e6),
  };
}
