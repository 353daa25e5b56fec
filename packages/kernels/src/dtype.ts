/** Element types a kernel may be specialised for. */
export const DTYPES = ['f32', 'i32', 'f16'] as const;
export type Dtype = (typeof DTYPES)[number];

/** Size of one element, in bytes. */
export const BYTES_PER_ELEMENT: Readonly<Record<Dtype, number>> = { f32: 4, i32: 4, f16: 2 };

/** Unit roundoff of a floating dtype (half the gap after 1); 0 for integers, which are exact. */
export const UNIT_ROUNDOFF: Readonly<Record<Dtype, number>> = {
  f32: 2 ** -24,
  i32: 0,
  f16: 2 ** -11,
};
