/**
 * How tensors lie in memory. A storage is a row of STORAGES: parts, each a buffer of its own, of items
 * from ITEMS. An element's value is the item of the first part, plus those of parts with a weight, times
 * the others: of f32 the element itself, of q4_0 a four-bit integer times the scale of its block, with
 * zero points what is left of it without one. Dtypes (dtype.ts) name the storage of each tensor;
 * tensors.ts has the tensors of a problem.
 */
import { fromHalves, type Scalar, type Tensor } from './scalar';

/** Integers packed into words, least significant bits first. */
export interface Packing {
  /** Bits of an item. */
  readonly bits: number;
  /** What an item is less than its bits; a signed integer's upper bit is flipped first. */
  readonly bias: number;
  readonly flip: number;
  /** Where an item lies; the same in WGSL, of u32 `i`, and back, of `word` and `place`. */
  readonly word: (item: number) => number;
  readonly place: (item: number) => number;
  readonly wgsl: {
    readonly item: string;
    readonly word: string;
    readonly place: string;
    /** Items i to i + 3 of an array of words, as a vec4i; i is a multiple of four. */
    readonly four: (words: string) => string;
  };
}

/** One value of a part. */
export interface Item {
  /** The WGSL type of an array of them in memory; packed: of their words. */
  readonly element: Scalar;
  /** Size of one item on the device; of a packed one, a fraction of a byte. */
  readonly bytes: number;
  /** Integers are exact; they have no fractions and no `fma`. */
  readonly isInteger: boolean;
  /** Whether it has negative values. */
  readonly isSigned: boolean;
  /** The WebGPU feature it needs, and the WGSL extension that comes with it; null if none. */
  readonly feature: { readonly name: string; readonly wgslExtension: string } | null;
  /** The array type of its values on the host. */
  readonly HostArray: {
    readonly BYTES_PER_ELEMENT: number;
    new (length: number): Tensor;
    new (buffer: ArrayBufferLike): Tensor;
  };
  /** The first `length` values of what a device has. */
  readonly fromDevice: (bytes: ArrayBuffer, length: number) => Tensor;
  /** Significant bits of a generated fraction. */
  readonly fractionBits: number;
  /** The least and the largest exponent of normal numbers. */
  readonly normal: readonly [number, number];
  /**
   * Of `scaled` inputs: exponents of which two, and the bits of a fraction, are still those of a
   * normal number, with room for the norms of operands.
   */
  readonly scales: readonly [number, number];
  /** Absent: an array of `element`. */
  readonly packing?: Packing;
}

const f32 = {
  element: 'f32',
  bytes: 4,
  isInteger: false,
  isSigned: true,
  feature: null,
  HostArray: Float32Array,
  fromDevice: (bytes: ArrayBuffer, length: number) => new Float32Array(bytes, 0, length),
  fractionBits: 24,
  normal: [-126, 127],
  scales: [-40, 30],
} as const satisfies Item;

const f16 = {
  element: 'f16',
  bytes: 2,
  isInteger: false,
  isSigned: true,
  feature: { name: 'shader-f16', wgslExtension: 'f16' },
  HostArray: Float32Array,
  fromDevice: (bytes: ArrayBuffer, length: number) => fromHalves(new Uint16Array(bytes, 0, length)),
  fractionBits: 11,
  normal: [-14, 15],
  scales: [-7, 2],
} as const satisfies Item;

const i32 = {
  element: 'i32',
  bytes: 4,
  isInteger: true,
  isSigned: true,
  feature: null,
  HostArray: Int32Array,
  fromDevice: (bytes: ArrayBuffer, length: number) => new Int32Array(bytes, 0, length),
  // Integers have no fractions, so these are never used; they keep the fill shader valid.
  fractionBits: 24,
  normal: [0, 0],
  scales: [0, 0],
} as const satisfies Item;

/** Integers of a few bits, several in a word. */
function packed(packing: Packing): Item {
  const { bits, bias, flip, word, place } = packing;
  const mask = 2 ** bits - 1;
  return {
    ...i32,
    element: 'u32',
    bytes: bits / 8,
    fromDevice: (bytes, length) => {
      const words = new Uint32Array(bytes, 0, Math.ceil((length * bits) / 32));
      return Int32Array.from({ length }, (_, i) => {
        const raw = ((words[word(i)] ?? 0) >>> (bits * place(i))) & mask;
        return (raw ^ flip) - bias;
      });
    },
    packing,
  };
}

const i8 = packed({
  bits: 8,
  bias: 0x80,
  flip: 0x80,
  word: (item) => item >>> 2,
  place: (item) => item & 3,
  wgsl: {
    item: '4u * word + place',
    word: 'i / 4u',
    place: 'i % 4u',
    four: (words) => `unpack4xI8(${words}[i / 4u])`,
  },
});

/**
 * Integers of 4 bits as ggml packs them: of 32, byte j has number j in its lower half and number j + 16 in
 * the other.
 */
const i4 = packed({
  bits: 4,
  bias: 8,
  flip: 0,
  word: (item) => 4 * (item >>> 5) + ((item & 15) >>> 2),
  place: (item) => 2 * (item & 3) + ((item >>> 4) & 1),
  wgsl: {
    item: '32u * (word / 4u) + 16u * (place % 2u) + 4u * (word % 4u) + place / 2u',
    word: '4u * (i / 32u) + i % 16u / 4u',
    place: '2u * (i % 4u) + i / 16u % 2u',
    four: (words) =>
      `vec4i(unpack4xU8((${words}[4u * (i / 32u) + i % 16u / 4u] >> (4u * (i / 16u % 2u))) & 0x0f0f0f0fu)) - 8`,
  },
});

/** Integers of 4 bits as ONNX packs them: byte j has number 2j in its lower half and number 2j + 1 in the other. */
const i4Pairs = packed({
  bits: 4,
  bias: 8,
  flip: 0,
  word: (item) => item >>> 3,
  place: (item) => item & 7,
  wgsl: {
    item: '8u * word + place',
    word: 'i / 8u',
    place: 'i % 8u',
    four: (words) =>
      `vec4i((vec4u(${words}[i / 8u]) >> (vec4u(0u, 4u, 8u, 12u) + 4u * (i % 8u))) & vec4u(15u)) - 8`,
  },
});

export const ITEMS = { f32, f16, i32, i8, i4, i4Pairs };

/** One buffer of a tensor. */
export interface StoragePart {
  /** What its binding is called after the tensor's name: `scales`; null: it has the tensor's name. */
  readonly name: string | null;
  readonly item: Item;
  /** Elements of a row that share an item. */
  readonly shared: number;
  /** What its items are times where they are added to the first part's; absent: they multiply. */
  readonly weight?: number;
  /**
   * How its items are drawn where they are no elements by themselves: integers from `least` to `most`,
   * 0 only if they are added; or odd multiples of 2^-bits below 1, times a power of two.
   */
  readonly drawn?:
    | { readonly most: number; readonly least: number }
    | { readonly bits: number; readonly exponent: number };
}

export interface Storage {
  /** For people, as programs call it: `q4_0`. */
  readonly words: string;
  /** Elements of a row in a block, of which rows have whole ones; 1: elements by themselves. */
  readonly block: number;
  readonly parts: readonly StoragePart[];
}

const elements = (words: string, item: Item): Storage => ({
  words,
  block: 1,
  parts: [{ name: null, item, shared: 1 }],
});

/** Elements in a block of all formats here. */
const BLOCK = 32;

/**
 * Integers with a scale for each block of 32. Drawn scales have so few bits that an element is exact in
 * f16: kernels may decode to it.
 */
function scaled(
  words: string,
  values: Item,
  scales: Item,
  drawn: { readonly least: number; readonly most: number },
  bitsOfValues = Math.ceil(Math.log2(drawn.most + 1)),
): Storage {
  return {
    words,
    block: BLOCK,
    parts: [
      { name: null, item: values, shared: 1, drawn },
      {
        name: 'scales',
        item: scales,
        shared: BLOCK,
        drawn: { bits: ITEMS.f16.fractionBits - bitsOfValues, exponent: -bitsOfValues },
      },
    ],
  };
}

/**
 * As `scaled`, each block's integers less a zero point of as many bits. Two blocks share a byte of zero
 * points, so rows have an even number of blocks.
 */
function withZeroPoints(
  words: string,
  values: Item,
  scales: Item,
  drawn: { readonly least: number; readonly most: number },
): Storage {
  const bits = Math.ceil(Math.log2(drawn.most - drawn.least + 1));
  const storage = scaled(words, values, scales, drawn, bits);
  const zeros = { name: 'zero_points', item: values, shared: BLOCK, weight: -1, drawn };
  return { ...storage, block: 2 * BLOCK, parts: [...storage.parts, zeros] };
}

const Q8 = { least: -127, most: 127 } as const;
const Q4 = { least: -8, most: 7 } as const;
const I8 = { least: -128, most: 127 } as const;

/**
 * All storages. A new one is a row here, a dtype that names it, and the kernels that read it
 * (CONTRIBUTING.md).
 */
export const STORAGES = {
  f32: elements('f32', ITEMS.f32),
  f16: elements('f16', ITEMS.f16),
  i32: elements('i32', ITEMS.i32),
  // Rows of whole words.
  i8: { words: 'i8', block: 4, parts: [{ name: null, item: ITEMS.i8, shared: 1, drawn: I8 }] },
  q8_0: scaled('q8_0', ITEMS.i8, ITEMS.f16, Q8),
  q4_0: scaled('q4_0', ITEMS.i4, ITEMS.f16, Q4),
  nbits4: scaled('q4 of MatMulNBits', ITEMS.i4Pairs, ITEMS.f32, Q4),
  nbits4z: withZeroPoints('q4 of MatMulNBits with zero points', ITEMS.i4Pairs, ITEMS.f32, Q4),
} as const satisfies Record<string, Storage>;

export type StorageId = keyof typeof STORAGES;

/** WGSL that declares the buffers of a tensor from a binding on, packed items as words. */
export function declared(name: string, { parts }: Storage, binding: number): string {
  return parts
    .map(
      (part, at) =>
        `@group(0) @binding(${binding + at}) var<storage, read> ${bound(name, part)}: array<${part.item.element}>;`,
    )
    .join('\n');
}

const bound = (name: string, part: StoragePart) => (part.name ? `${name}_${part.name}` : name);

/** WGSL of an item of a part, as a signed integer or a float; `i` is its number. */
function itemOf(array: string, { packing }: Item): string {
  if (!packing) return `${array}[i]`;
  const { bits, bias, flip, wgsl } = packing;
  const raw = `extractBits(${array}[${wgsl.word}], ${bits}u * (${wgsl.place}), ${bits}u)`;
  return `i32(${raw} ^ ${flip}u) - ${bias}`;
}

/** `item_<name>_<part>(i)`: item number i of each part that is added and has several in a word. */
export function addendReadersOf(name: string, { parts }: Storage): string {
  return parts
    .filter(({ item, weight }) => weight !== undefined && item.packing)
    .map((part) => {
      const array = bound(name, part);
      return `fn item_${array}(i: u32) -> i32 { return ${itemOf(array, part.item)}; }\n`;
    })
    .join('');
}

/**
 * WGSL of what is added to items of the first part, as a type, of the element `i`: ` - f32(...)`; or
 * nothing. `four`: of elements i to i + 3, of which parts that none share have as many items.
 */
export function addendsOf(
  name: string,
  { parts }: Storage,
  { type, i, four = false }: { type: string; i: string; four?: boolean },
): string {
  return parts
    .flatMap((part) => {
      if (part.weight === undefined) return [];
      const array = bound(name, part);
      const at = part.shared === 1 ? i : `(${i}) / ${part.shared}u`;
      const { packing } = part.item;
      const one = packing ? `item_${array}(${at})` : `${array}[${at}]`;
      const item =
        four && part.shared === 1 && packing
          ? `vec4f(${packing.wgsl.four(array)})`
          : `${type}(${one})`;
      const sign = part.weight < 0 ? '-' : '+';
      const size = Math.abs(part.weight);
      return ` ${sign} ${size === 1 ? '' : `${size} * `}${item}`;
    })
    .join('');
}

/** `load_<name>(i)`: element number i in memory of a declared tensor, as an S, which the shader declares. */
export function readerOf(name: string, storage: Storage): string {
  const factors = storage.parts
    .filter(({ weight }) => weight === undefined)
    .map((part) => {
      const array = bound(name, part);
      if (part.shared !== 1) return `S(${array}[i / ${part.shared}u])`;
      return `S(${itemOf(array, part.item)})`;
    });
  const addends = addendsOf(name, storage, { type: 'S', i: 'i' });
  return `${addendReadersOf(name, storage)}fn load_${name}(i: u32) -> S { return ${product(factors, addends)}; }`;
}

/**
 * Declares a tensor, with `load_<name>(i)` and `load4_<name>(i)`: elements i to i + 3, read as one vector if
 * `areVectors`: i is a multiple of four, and elements lie by themselves.
 */
export function vectorReaderOf(
  name: string,
  storage: Storage,
  binding: number,
  areVectors: boolean,
): string {
  const [part, ...others] = storage.parts;
  if (!areVectors || !part || part.item.packing || others.length > 0) {
    const four = [0, 1, 2, 3].map((at) => `load_${name}(i + ${at}u)`);
    return [
      declared(name, storage, binding),
      readerOf(name, storage),
      `fn load4_${name}(i: u32) -> vec4<S> { return vec4<S>(${four.join(', ')}); }`,
    ].join('\n');
  }
  return [
    `@group(0) @binding(${binding}) var<storage, read> ${name}: array<vec4<${part.item.element}>>;`,
    `fn load_${name}(i: u32) -> S { return S(${name}[i / 4u][i % 4u]); }`,
    `fn load4_${name}(i: u32) -> vec4<S> { return vec4<S>(${name}[i / 4u]); }`,
  ].join('\n');
}

/** `load4_<name>(i)`: elements i to i + 3 of a tensor in blocks, decoded; i is a multiple of four. */
export function fourReaderOf(name: string, storage: Storage): string {
  const factors = storage.parts
    .filter(({ weight }) => weight === undefined)
    .map((part) => {
      const array = bound(name, part);
      return part.item.packing
        ? `vec4f(${part.item.packing.wgsl.four(array)})`
        : `f32(${array}[i / ${part.shared}u])`;
    });
  const addends = addendsOf(name, storage, { type: 'f32', i: 'i', four: true });
  return `${addendReadersOf(name, storage)}fn load4_${name}(i: u32) -> vec4f { return ${product(factors, addends)}; }`;
}

const product = ([first = '', ...others]: readonly string[], addends: string): string =>
  [addends ? `(${first}${addends})` : first, ...others].join(' * ');
