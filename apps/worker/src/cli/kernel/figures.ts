import type { Outcome } from '@tilemark/core';
import { type Contributed, type Measure, takenShape } from '@tilemark/core/contributed';
import {
  DTYPES,
  type Dtype,
  mostExponent,
  opById,
  type Problem,
  type Shape,
  shapeText,
  type Variant,
} from '@tilemark/kernels';

/** Of a product: long enough for its sums to leave the range of halves. */
const SIZES = [64, 64, 512];

const REGIMES = { large: '|x| =', outliers: 'outliers of' } as const;

/**
 * The largest scales of inputs up to which a kernel is right that is right as usual: powers of two, found by
 * bisection, a line for each. None for an epilogue, and where no input is of floats that are summed.
 */
export async function figuresOf(
  contributed: Contributed,
  variant: Variant,
  dtype: Dtype,
  measure: Measure,
): Promise<string[]> {
  const { op, epilogue } = contributed.kernel;
  const most = mostExponent({ op, shape: opById(op).square(64), dtype } as Problem);
  if (most === null || epilogue) return [];
  const shape = takenShape(contributed, variant.tunables, dtype, opById(op).shape(SIZES) as Shape);
  const lines: string[] = [];
  for (const [regime, words] of Object.entries(REGIMES)) {
    let [right, beyond] = [0, most + 1];
    let wrong: Outcome | null = null;
    for (let at = most; beyond - right > 1; at = Math.floor((right + beyond) / 2)) {
      const problem = { op, shape, dtype, regime: `${regime}:${at}` } as Problem;
      const { outcome } = await measure(variant, problem, 'smoke');
      // Of too large a shape, say, nothing is known.
      if (outcome.kind !== 'measured' && outcome.kind !== 'incorrect') return lines;
      if (outcome.kind === 'measured') right = at;
      else [beyond, wrong] = [at, outcome];
    }
    const where = `${shapeText({ op, shape })} ${dtype}`;
    lines.push(
      `${where}: right up to ${words} 2^${right}${endText(wrong, `${regime}:${beyond}`, dtype)}`,
    );
  }
  return lines;
}

/** How a kernel ends beyond a scale: in f16, where it is not finite, since f32 is not left there. */
function endText(beyond: Outcome | null, regime: string, dtype: Dtype): string {
  if (beyond?.kind !== 'incorrect') return ', the largest tried';
  const { got, want } = beyond.worst;
  if (typeof got === 'number') {
    const digits = (value: number | string) => Number(Number(value).toPrecision(6));
    return `: with --regime ${regime}, an element is ${digits(got)}, should be ${digits(want)}`;
  }
  const what =
    DTYPES[dtype].sums === 'f16' ? 'f16 sums overflow' : 'values that it keeps in f16 overflow';
  return `: ${what} beyond`;
}
