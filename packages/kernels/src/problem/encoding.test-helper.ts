import { type Item, STORAGES, type StorageId } from './storage';

/** The way into a device's memory that programs take who bring tensors of their own. */

/** The bytes that a device has for values that an item can have. */
export function toDevice(
  { element, packing }: Item,
  values: ArrayLike<number>,
): Uint8Array<ArrayBuffer> {
  if (packing) {
    const { bits, bias, flip, word, place } = packing;
    const words = new Uint32Array(Math.ceil((values.length * bits) / 32));
    // The last word is full, of zeros.
    for (let i = 0; i < (32 / bits) * words.length; i++) {
      const raw = (((values[i] ?? 0) + bias) ^ flip) & (2 ** bits - 1);
      words[word(i)]! |= raw << (bits * place(i));
    }
    return new Uint8Array(words.buffer);
  }
  if (element === 'f16') return new Uint8Array(Uint16Array.from(values, toHalfBits).buffer);
  const Words = element === 'f32' ? Float32Array : Int32Array;
  return new Uint8Array(Words.from(values).buffer);
}

/** The 16 bits of the half nearest to a value, ties to even. */
function toHalfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const word = new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude < 0x38800000) return sign | Math.round(Math.abs(value) * 2 ** 24);
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000;
  return sign | Math.min(rounded >>> 13, 0x7c00);
}

interface EncodedBlock {
  readonly scale: number;
  readonly values: readonly number[];
  readonly zero?: number;
}

/** ggml's rule: the scale is a 127th of the largest magnitude. */
const encodeQ8 = (block: readonly number[]): EncodedBlock => {
  const scale = Math.max(...block.map(Math.abs)) / 127;
  return { scale, values: block.map((value) => (scale ? Math.round(value / scale) : 0)) };
};

/** ggml's rule: the value of the largest magnitude becomes -8. */
const encodeQ4 = (block: readonly number[]): EncodedBlock => {
  const largest = block.reduce(
    (most, value) => (Math.abs(value) > Math.abs(most) ? value : most),
    0,
  );
  const scale = largest / -8;
  const near = (value: number) => Math.min(7, Math.floor(value / scale + 0.5));
  return { scale, values: block.map((value) => (scale ? near(value) : 0)) };
};

/** ONNX Runtime's rule: the range of the block, widened to have 0 in it, is 15 steps. */
const encodeQ4WithZero = (block: readonly number[]): EncodedBlock => {
  const [low, high] = [Math.min(0, ...block), Math.max(0, ...block)];
  const scale = (high - low) / 15;
  if (scale === 0) return { scale, values: block.map(() => 0), zero: 0 };
  const zero = Math.round(-low / scale) - 8;
  const near = (value: number) => Math.round(value / scale) + zero;
  return { scale, values: block.map((value) => Math.max(-8, Math.min(7, near(value)))), zero };
};

const ENCODERS = { q8_0: encodeQ8, q4_0: encodeQ4, nbits4: encodeQ4, nbits4z: encodeQ4WithZero };

/** Storages in blocks. */
export type BlockedId = StorageId & keyof typeof ENCODERS;

/** A row's elements as the values of each part, by the format's rule. */
export function encode(id: BlockedId, row: Float32Array): (readonly number[])[] {
  const { block } = STORAGES.q8_0;
  const blocks = Array.from({ length: Math.ceil(row.length / block) }, (_, at) =>
    ENCODERS[id]([...row.subarray(at * block, (at + 1) * block)]),
  );
  const zeros = blocks.flatMap(({ zero }) => zero ?? []);
  const parts = [blocks.flatMap(({ values }) => values), blocks.map(({ scale }) => scale)];
  return zeros.length > 0 ? [...parts, zeros] : parts;
}
