/** WGSL scalar types that tensors and sums are made of. */
export type Scalar = 'f32' | 'i32' | 'u32' | 'f16';

/** Host-side contents of a tensor. f16 is stored as f32 values rounded to half precision. */
export type Tensor = Float32Array | Int32Array | Uint32Array;

/** Everything there is to know about a dtype. */
export interface DtypeFacts {
  /** For people: `f16 with f16 sums`. */
  readonly words: string;
  /** The WGSL type of one element in memory. */
  readonly element: Scalar;
  /** The WGSL type that sums are kept in. */
  readonly sums: Scalar;
  /** Size of one element on the device. */
  readonly bytes: number;
  /** Integers are exact; they have no fractions and no `fma`. */
  readonly isInteger: boolean;
  /** Whether it has negative values. */
  readonly isSigned: boolean;
  /** The WebGPU feature it needs, and the WGSL extension that comes with it; null if none. */
  readonly feature: { readonly name: string; readonly wgslExtension: string } | null;
  /** The array type of a tensor on the host. */
  readonly HostArray: {
    readonly BYTES_PER_ELEMENT: number;
    new (length: number): Tensor;
    new (buffer: ArrayBufferLike): Tensor;
  };
  /** The first `length` elements of what a device wrote. */
  readonly fromDevice: (bytes: ArrayBuffer, length: number) => Tensor;
  /** Integers up to here are exact, sums included (i32: cannot overflow). */
  readonly exactLimit: number;
  /** Significant bits of a generated fraction. */
  readonly fractionBits: number;
  /** The least and the largest exponent of normal numbers. */
  readonly normal: readonly [number, number];
  /**
   * Of `scaled` inputs: exponents of which two, and the bits of a fraction, are still those of a
   * normal number, with room for the norms of operands.
   */
  readonly scales: readonly [number, number];
  /** How its sums round, which sets the tolerance. */
  readonly rounding: Rounding;
  /** The dtype whose multiply-add probe gives its peak. */
  readonly peak: string;
}

/** How sums of a dtype round (docs/measure.md). */
export interface Rounding {
  /** Unit roundoff of a sum: half the gap after 1; 0: exact. */
  readonly sumRoundoff: number;
  /** The final rounding to the element type: unit roundoff and subnormal spacing; null if none. */
  readonly store: { readonly roundoff: number; readonly subnormal: number } | null;
}

/** Sums without rounding: integers, and integer-valued inputs of any dtype. */
export const EXACT: Rounding = { sumRoundoff: 0, store: null };

const HALF = {
  element: 'f16',
  bytes: 2,
  isInteger: false,
  isSigned: true,
  feature: { name: 'shader-f16', wgslExtension: 'f16' },
  HostArray: Float32Array,
  fromDevice: (bytes: ArrayBuffer, length: number) => fromHalves(new Uint16Array(bytes, 0, length)),
  exactLimit: 2 ** 11,
  fractionBits: 11,
  normal: [-14, 15],
  scales: [-7, 2],
  peak: 'f16',
} as const;

const STORED_AS_HALF = { roundoff: 2 ** -11, subnormal: 2 ** -24 } as const;

const TABLE = {
  f32: {
    words: 'f32',
    element: 'f32',
    sums: 'f32',
    bytes: 4,
    isInteger: false,
    isSigned: true,
    feature: null,
    HostArray: Float32Array,
    fromDevice: (bytes: ArrayBuffer, length: number) => new Float32Array(bytes, 0, length),
    exactLimit: 2 ** 24,
    fractionBits: 24,
    normal: [-126, 127],
    scales: [-40, 30],
    rounding: { sumRoundoff: 2 ** -24, store: null },
    peak: 'f32',
  },
  i32: {
    words: 'i32',
    element: 'i32',
    sums: 'i32',
    bytes: 4,
    isInteger: true,
    isSigned: true,
    feature: null,
    HostArray: Int32Array,
    fromDevice: (bytes: ArrayBuffer, length: number) => new Int32Array(bytes, 0, length),
    exactLimit: 2 ** 31 - 1,
    // Integers have no fractions, so these are never used; they keep the fill shader valid.
    fractionBits: 24,
    normal: [0, 0],
    scales: [0, 0],
    rounding: EXACT,
    peak: 'i32',
  },
  f16: {
    ...HALF,
    words: 'f16 with f32 sums',
    sums: 'f32',
    rounding: { sumRoundoff: 2 ** -24, store: STORED_AS_HALF },
  },
  // Faster and less exact than f16, so it is never ranked against it.
  f16acc16: {
    ...HALF,
    words: 'f16 with f16 sums',
    sums: 'f16',
    rounding: { sumRoundoff: 2 ** -11, store: STORED_AS_HALF },
  },
} as const satisfies Record<string, DtypeFacts>;

export type Dtype = keyof typeof TABLE;

/**
 * Element types that a kernel may be specialised for. A new one is a row here and the
 * kernels that take it; everything else reads the table.
 */
export const DTYPES: Readonly<Record<Dtype, DtypeFacts & { readonly peak: Dtype }>> = TABLE;

/** The ids of a table's rows, in order: `idsOf(DTYPES)`, `idsOf(OPS)`. */
export function idsOf<Id extends string>(table: Readonly<Record<Id, unknown>>): Id[] {
  return Object.keys(table) as Id[];
}

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
