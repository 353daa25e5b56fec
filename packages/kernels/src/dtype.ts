/**
 * Element types a kernel may be specialised for. `f16acc16` is f16 with sums in f16: a
 * computation of its own, faster and less exact than `f16`, whose sums are in f32, and
 * never ranked beside it.
 */
export const DTYPES = ['f32', 'i32', 'f16', 'f16acc16'] as const;
export type Dtype = (typeof DTYPES)[number];

/** The WGSL type of one element in memory. */
export function elementType(dtype: Dtype): 'f32' | 'i32' | 'f16' {
  return dtype === 'f16acc16' ? 'f16' : dtype;
}

/** The WGSL type that sums are kept in. */
export function sumType(dtype: Dtype): 'f32' | 'i32' | 'f16' {
  if (dtype === 'f16') return 'f32';
  return dtype === 'f16acc16' ? 'f16' : dtype;
}

/** Size of one element, in bytes. */
export const BYTES_PER_ELEMENT: Readonly<Record<Dtype, number>> = {
  f32: 4,
  i32: 4,
  f16: 2,
  f16acc16: 2,
};

/** Unit roundoff of a floating dtype (half the gap after 1); 0 for integers, which are exact. */
export const UNIT_ROUNDOFF: Readonly<Record<Dtype, number>> = {
  f32: 2 ** -24,
  i32: 0,
  f16: 2 ** -11,
  f16acc16: 2 ** -11,
};
