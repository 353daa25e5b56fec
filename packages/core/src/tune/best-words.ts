import { shapeText } from '@tilemark/kernels';
import { driverText } from '../measure/device';
import type { BestRow } from './best';

const VERBS = {
  measured: 'measured on',
  searched: 'searched on',
  shipped: 'shipped:',
  predicted: 'predicted on',
};

/** Where an answer is from, in a few words. */
export function sourceOf({ best, excluded, problem }: BestRow): string {
  if (!best) return excluded[0] ? `nothing fits: ${excluded[0].reason}` : 'nothing known';
  if (!best.quote) return 'unmeasured: portable default';
  const { device, driver, shape, source } = best.quote;
  const from = shape === shapeText(problem) ? '' : `, from ${shape}`;
  return `${VERBS[source]} ${device}, ${driverText(driver)}${from}`;
}

/** What must be known before an answer is used; null: nothing. */
export function remarkOf({ best, problem }: BestRow): string | null {
  if (!best?.quote) return null;
  const { profile } = best.quote;
  const remarks = [
    ...(profile === best.profile ? [] : [`timed under ${profile}`]),
    ...(problem.epilogue ? ['timed without its epilogue'] : []),
  ];
  return remarks.join('; ') || null;
}
