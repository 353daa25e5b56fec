import { shapeText } from '@tilemark/kernels';
import { limitsBeyond, splitText } from '../api/limits';
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
  if (best.basis === 'tint') return `timed under tint, not under ${best.engine}`;
  if (!best.quote) {
    const under = best.engine === 'tint' ? '' : ` under ${best.engine}`;
    return `unmeasured${under}: portable default`;
  }
  const { device, driver, shape, source } = best.quote;
  const from = shape === shapeText(problem) ? '' : `, from ${shape}`;
  // wgpu names the device where Dawn names the driver.
  const by = driver === device ? '' : `, ${driverText(driver)}`;
  return `${VERBS[source]} ${device}${by}${from}`;
}

/** Where memory bounds a problem: its rate and the share of the memory's; else null. */
export function memoryText({ best }: Pick<BestRow, 'best'>): string | null {
  const memory = best?.quote?.memory;
  if (!memory) return null;
  const rate = Math.round(Number(memory.gigabytesPerSecond.toPrecision(3)));
  return `${rate} GB/s, ${Math.round(100 * memory.part)}% of memory`;
}

/** The limits to request beyond what every device has, and how to do without. */
export function limitsText(best: BestRow['best']): string {
  if (!best?.limits) return '';
  const limits = limitsBeyond(best.limits).map(([name, value]) => `${name} ${value}`);
  const { split } = best;
  return [...limits, ...(split ? [splitText(split)] : [])].join('; ');
}

/** What must be known before an answer is used; null: nothing. */
export function remarkOf({ best, problem }: BestRow): string | null {
  const { one, quote } = best ?? {};
  const share = one?.share && `${Math.round(100 * one.share)}% of the best there`;
  const remarks = [
    ...(share ? [`${share}, ${one.isTimed ? 'timed' : 'expected: a prediction'}`] : []),
    ...(!quote || quote.profile === best?.profile ? [] : [`timed under ${quote.profile}`]),
    ...(quote && problem.epilogue ? ['timed without its epilogue'] : []),
  ];
  return remarks.join('; ') || null;
}
