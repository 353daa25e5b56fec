import type { EpilogueError } from './epilogue';
import type { Scalar } from './scalar';
import { ITEMS, type Item, STORAGES, type StorageId } from './storage';

/** How the rows of a tensor lie in memory: as the op has them, or columns one after the other. */
export type Order = 'row-major' | 'transposed';

/** A tensor's storage and order. */
interface Stored {
  readonly storage: StorageId;
  /** Absent: row-major. */
  readonly order?: Order;
}

/** The tensors of a dtype: an op's inputs in order, and its output. */
interface DtypeTensors {
  readonly A: Omit<Stored, 'order'>;
  readonly B: Stored;
  readonly C: { readonly storage: 'f32' | 'f16' | 'i32' };
}

/**
 * Everything there is to know about a dtype: how each tensor is stored and how sums are kept. The
 * facts of an item are those of the output's elements.
 */
interface DtypeFacts extends Item {
  /** For people: `f16 with f16 sums`. */
  readonly words: string;
  readonly tensors: DtypeTensors;
  /** The WGSL type that sums are kept in. */
  readonly sums: Scalar;
  /** Integers up to here are exact, sums included (i32: cannot overflow). */
  readonly exactLimit: number;
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
  /** What an epilogue makes of these errors; absent: there is none. */
  readonly epilogue?: EpilogueError | undefined;
}

/** Sums without rounding: integers, and integer-valued inputs of any dtype. */
export const EXACT: Rounding = { sumRoundoff: 0, store: null };

const SUMS_IN_F32 = { sumRoundoff: 2 ** -24, store: null } as const;
const STORED_AS_HALF = { roundoff: 2 ** -11, subnormal: 2 ** -24 } as const;

/** A and C of one storage, B of another. */
const withB = <const C extends DtypeTensors['C']['storage']>(storage: C, B: Stored) => ({
  A: { storage },
  B,
  C: { storage },
});

const HALVES_BY_ROWS = { storage: 'f16', order: 'transposed' } as const;

const all = <const C extends DtypeTensors['C']['storage']>(storage: C) =>
  withB(storage, { storage });

const F32 = {
  ...ITEMS.f32,
  sums: 'f32',
  exactLimit: 2 ** 24,
  rounding: SUMS_IN_F32,
  peak: 'f32',
} as const;

const I32 = {
  ...ITEMS.i32,
  sums: 'i32',
  exactLimit: 2 ** 31 - 1,
  rounding: EXACT,
  peak: 'i32',
} as const;

const F16 = {
  ...ITEMS.f16,
  sums: 'f32',
  exactLimit: 2 ** 11,
  rounding: { sumRoundoff: 2 ** -24, store: STORED_AS_HALF },
  peak: 'f16',
} as const;

const WITH_HALVES = { ...F32, feature: ITEMS.f16.feature } as const;

const TABLE = {
  f32: { ...F32, words: 'f32', tensors: all('f32') },
  i32: { ...I32, words: 'i32', tensors: all('i32') },
  f16: { ...F16, words: 'f16 with f32 sums', tensors: all('f16') },
  // Faster and less exact than f16, so it is never ranked against it.
  f16acc16: {
    ...F16,
    words: 'f16 with f16 sums',
    tensors: all('f16'),
    sums: 'f16',
    rounding: { sumRoundoff: 2 ** -11, store: STORED_AS_HALF },
  },
  // Weights as models have them: a row of K for each output, N x K.
  'f32-nt': {
    ...F32,
    words: 'f32, B by rows (N × K)',
    tensors: withB('f32', { storage: 'f32', order: 'transposed' }),
  },
  'f16-nt': {
    ...F16,
    words: 'f16, B by rows (N × K)',
    tensors: withB('f16', HALVES_BY_ROWS),
  },
  'f16-q8': {
    ...F16,
    words: 'f16 × q8_0, B by rows (N × K)',
    tensors: withB('f16', { storage: 'q8_0', order: 'transposed' }),
  },
  'f16-q4': {
    ...F16,
    words: 'f16 × q4_0, B by rows (N × K)',
    tensors: withB('f16', { storage: 'q4_0', order: 'transposed' }),
  },
  'f32-q4': {
    ...F32,
    words: 'f32 × q4 of MatMulNBits, B by rows (N × K)',
    tensors: withB('f32', { storage: 'nbits4', order: 'transposed' }),
  },
  // Sums and results in f32, one operand in f16: what is multiplied is exact.
  'f32-f16': {
    ...WITH_HALVES,
    words: 'f32 × f16',
    tensors: withB('f32', { storage: 'f16' }),
  },
  'f32-f16-nt': {
    ...WITH_HALVES,
    words: 'f32 × f16, B by rows (N × K)',
    tensors: withB('f32', HALVES_BY_ROWS),
  },
  'f32-q4z': {
    ...F32,
    words: 'f32 × q4 of MatMulNBits with zero points, B by rows (N × K)',
    tensors: withB('f32', { storage: 'nbits4z', order: 'transposed' }),
  },
  // Bytes times bytes, four at a time. The scales of two blocks multiply the sum of 32 products.
  'q8-q8': {
    ...WITH_HALVES,
    words: 'q8_0 × q8_0, B by rows (N × K)',
    tensors: {
      A: { storage: 'q8_0' },
      B: { storage: 'q8_0', order: 'transposed' },
      C: { storage: 'f32' },
    },
    peak: 'i32',
  },
  'i8-nt': {
    ...I32,
    words: 'i8 with i32 sums, B by rows (N × K)',
    tensors: {
      A: { storage: 'i8' },
      B: { storage: 'i8', order: 'transposed' },
      C: { storage: 'i32' },
    },
  },
} as const satisfies Record<string, DtypeFacts>;

export type Dtype = keyof typeof TABLE;

/**
 * Element types that a kernel may be specialised for. A new one is a row here and the
 * kernels that take it; everything else reads the table.
 */
export const DTYPES: Readonly<Record<Dtype, DtypeFacts & { readonly peak: Dtype }>> = TABLE;

/** How the inputs of an op are stored, in order. */
export const inputsOf = (dtype: Dtype): readonly Stored[] => {
  const { A, B } = DTYPES[dtype].tensors;
  return [A, B];
};

/** Whether two dtypes store all tensors alike, so that they differ in their arithmetic alone. */
export function areStoredAlike(a: Dtype, b: Dtype): boolean {
  const storedAs = (dtype: Dtype) => {
    const { A, B, C } = DTYPES[dtype].tensors;
    return [A.storage, B.storage, B.order, C.storage].join(' ');
  };
  return storedAs(a) === storedAs(b);
}

/**
 * The dtype of the same sums whose B is stored as its A, row by row: its kernels differ from those of
 * the given one in how they fetch B alone. Null: there is none, or both are stored alike.
 */
export function plainOf(dtype: Dtype): Dtype | null {
  const { tensors, sums } = DTYPES[dtype];
  const plain = idsOf(DTYPES).find((id) => {
    const { A, B, C } = DTYPES[id].tensors;
    const isPlain = B.storage === A.storage && B.order === undefined && DTYPES[id].sums === sums;
    return isPlain && A.storage === tensors.A.storage && C.storage === tensors.C.storage;
  });
  return plain === undefined || areStoredAlike(plain, dtype) ? null : plain;
}

/** Whether B lies in memory as N x K. */
export const isByRows = (dtype: Dtype): boolean => DTYPES[dtype].tensors.B.order === 'transposed';

/** Whether tensors are stored in blocks, whose elements only decoding gives. */
export const isBlocked = (dtype: Dtype): boolean =>
  inputsOf(dtype).some(({ storage }) => STORAGES[storage].block > 1);

/** Whether A and B are signed bytes, four to a word, which packed dot products multiply. */
export const areBytes = (dtype: Dtype): boolean =>
  inputsOf(dtype).every(({ storage }) => STORAGES[storage].parts[0]?.item === ITEMS.i8);

/** The feature of a device whose WGSL has `dot4I8Packed`: a feature of the language. */
export const PACKED_DOTS = 'packed_4x8_integer_dot_product';

/** The features of a kernel that multiplies a dtype's operands by packed dot products, where they are bytes. */
export const packedDots = (dtype: Dtype): readonly string[] =>
  areBytes(dtype) ? [PACKED_DOTS] : [];

/** The ids of a table's rows, in order: `idsOf(DTYPES)`, `idsOf(OPS)`. */
export function idsOf<Id extends string>(table: Readonly<Record<Id, unknown>>): Id[] {
  return Object.keys(table) as Id[];
}

/** What other programs call dtypes. */
const ELSEWHERE: Readonly<Record<string, Dtype>> = {
  ...{ fp32: 'f32', float: 'f32', float32: 'f32', single: 'f32' },
  ...{ fp16: 'f16', half: 'f16', float16: 'f16', int32: 'i32', int: 'i32' },
  ...{ q4_0: 'f16-q4', q4: 'f16-q4', q8_0: 'f16-q8', q8: 'f16-q8', int8: 'i8-nt', i8: 'i8-nt' },
};

/** The dtype that somebody means who writes another name; undefined: none is known. */
export const dtypeMeant = (text: string): Dtype | undefined =>
  idsOf(DTYPES).find((id) => id === text.toLowerCase()) ?? ELSEWHERE[text.toLowerCase()];
