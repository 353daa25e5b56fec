import {
  DTYPES,
  type Dtype,
  mostExponent,
  opById,
  type Problem,
  type Regime,
  regimeWords,
  type Shape,
  type Variant,
} from '@tilemark/kernels';
import type { Outcome } from '../measure/outcome';
import { takenShape } from './battery';
import type { Measure } from './checked';
import type { Contributed } from './manifest';

/** Of a product: long enough for its sums to leave the range of halves. */
const SIZES = [64, 64, 512];

const REGIMES = { large: '|x| =', outliers: 'outliers of' } as const;

/** The largest scale of inputs up to which a kernel is right, in words: `right up to |x| = 2^7: ...`. */
export interface Scale {
  readonly problem: Problem;
  readonly words: string;
}

/**
 * The scales of a kernel that is right as usual: powers of two, found by bisection, one for each regime.
 * None for an epilogue, and where no input is of floats that are summed.
 */
export async function scalesOf(
  contributed: Contributed,
  variant: Variant,
  dtype: Dtype,
  measure: Measure,
): Promise<Scale[]> {
  const { op, epilogue } = contributed.kernel;
  const most = mostExponent({ op, shape: opById(op).square(64), dtype } as Problem);
  if (most === null || epilogue) return [];
  const shape = takenShape(contributed, variant.tunables, dtype, opById(op).shape(SIZES) as Shape);
  const problem = { op, shape, dtype } as Problem;
  const scales: Scale[] = [];
  for (const [regime, words] of Object.entries(REGIMES)) {
    let [right, beyond] = [0, most + 1];
    let wrong: Outcome | null = null;
    for (let at = most; beyond - right > 1; at = Math.floor((right + beyond) / 2)) {
      const asked = { ...problem, regime: `${regime}:${at}` } as Problem;
      const { outcome } = await measure(variant, asked, 'smoke');
      // Of too large a shape, say, nothing is known.
      if (outcome.kind !== 'measured' && outcome.kind !== 'incorrect') return scales;
      if (outcome.kind === 'measured') right = at;
      else [beyond, wrong] = [at, outcome];
    }
    const end = endText(wrong, `${regime}:${beyond}` as Regime, dtype);
    scales.push({ problem, words: `right up to ${words} 2^${right}${end}` });
  }
  return scales;
}

/** How a kernel ends beyond a scale: in f16, where it is not finite, since f32 is not left there. */
function endText(beyond: Outcome | null, regime: Regime, dtype: Dtype): string {
  if (beyond?.kind !== 'incorrect') return ', the largest tried';
  const { got, want } = beyond.worst;
  if (typeof got === 'number') {
    const digits = (value: number | string) => Number(Number(value).toPrecision(6));
    return `: on ${regimeWords(regime)}, an element is ${digits(got)}, should be ${digits(want)}`;
  }
  const what =
    DTYPES[dtype].sums === 'f16' ? 'f16 sums overflow' : 'values that it keeps in f16 overflow';
  return `: ${what} beyond`;
}
