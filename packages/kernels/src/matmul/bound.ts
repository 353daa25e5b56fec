import { type Dtype, UNIT_ROUNDOFF } from '../dtype';

const U32 = UNIT_ROUNDOFF.f32;
const U16 = UNIT_ROUNDOFF.f16;

/**
 * Largest error allowed in one element of C for zero-mean inputs, given the
 * 2-norms of its row of A and column of B. f32 sums: 16 u |a| |b|; rounding
 * errors of zero-mean sums add like a random walk, whose deviation is about
 * 0.3 u |a| |b| in sequential order and less in any other (docs/tolerance.md).
 * f16 sums in f32 and rounds once, in a direction the device may choose; sums in f16
 * (f16acc16): 4 u |a| |b|, 14 deviations. i32 is exact: 0.
 */
export function elementBound(dtype: Dtype, aNorm: number, bNorm: number, want: number): number {
  if (dtype === 'i32') return 0;
  const summing = (dtype === 'f16acc16' ? 4 * U16 : 16 * U32) * aNorm * bNorm;
  return dtype === 'f32' ? summing : summing + halfRounding(Math.abs(want));
}

/**
 * Largest error allowed in one element of C whatever the inputs are, given (|A||B|)_ij, the sum
 * of its products' magnitudes. Partial sums are at most that, so each of K roundings adds at most
 * u (|A||B|)_ij; as they have either sign they add up like sqrt(K), eight deviations of which are
 * allowed (N. Higham, T. Mary, SIAM J. Sci. Comput. 41, 2019). u is that of the sums; f16 rounds
 * the result once more. i32 is exact: 0.
 */
export function anyDataBound(dtype: Dtype, magnitude: number, k: number, want: number): number {
  if (dtype === 'i32') return 0;
  const u = dtype === 'f16acc16' ? U16 : U32;
  const summing = 8 * Math.sqrt(k) * u * magnitude;
  return dtype === 'f32' ? summing : summing + halfRounding(Math.abs(want));
}

/**
 * Deviation of one element's rounding error relative to |a| |b|: a relative
 * error uniform in [-u, u] of a significand spread over [1, 2) has 0.41 u.
 */
const DEVIATION = 0.41;

/**
 * Bound of a row's Freivalds residual |C r - A (B r)|_i: six deviations of a
 * signed sum of n element errors, sqrt(sum_j |b_j|^2) = |B|_F.
 */
export function residualBound(dtype: Dtype, aNorm: number, bFrobenius: number, k: number): number {
  if (dtype === 'i32') return 0;
  const u = dtype === 'f16acc16' ? U16 : U32;
  const summing = 6 * DEVIATION * u * aNorm * bFrobenius;
  // Zero-mean data: sum_j c_ij^2 is near |a_i|^2 |B|_F^2 / k.
  const rowNorm = (aNorm * bFrobenius) / Math.sqrt(k);
  return dtype === 'f32' ? summing : summing + 6 * halfRounding(rowNorm);
}

/** One rounding to f16 in either direction, with the spacing of subnormals as the floor. */
function halfRounding(magnitude: number): number {
  return 2 * U16 * magnitude + 2 ** -24;
}
