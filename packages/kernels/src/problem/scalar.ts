/** WGSL scalar types that tensors and sums are made of. */
export type Scalar = 'f32' | 'i32' | 'u32' | 'f16';

/** Host-side contents of a tensor. f16 is stored as f32 values rounded to half precision. */
export type Tensor = Float32Array | Int32Array | Uint32Array;

/** Value of a half given by its 16 bits (IEEE 754 binary16); Node 20 has no Float16Array. */
export function fromHalfBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Values of an array of halves. */
export function fromHalves(halves: Uint16Array): Float32Array {
  const values = Float32Array.from({ length: 0x10000 }, (_, bits) => fromHalfBits(bits));
  const out = new Float32Array(halves.length);
  for (let i = 0; i < out.length; i++) out[i] = values[halves[i] ?? 0] ?? Number.NaN;
  return out;
}
