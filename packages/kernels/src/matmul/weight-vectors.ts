import { areBytes, DTYPES, type Dtype } from '../problem/dtype';
import { ITEMS, type Item, type Packing, STORAGES, type StoragePart } from '../problem/storage';
import { each } from './lines';

/** How 16 bytes of weights are multiplied with a row of A. */
interface Vector {
  /** Weights in it. */
  readonly elements: number;
  /** The type of a load of it. */
  readonly type: string;
  /** Its weights as vec4f, before their scale. */
  readonly fours: (load: string) => readonly string[];
}

export const WORDS = ['x', 'y', 'z', 'w'] as const;

/** Four halves of two words, as a vec4f. naga reads no vec4<f16> from words. */
export const fourHalves = (load: string, [one, other]: string): string =>
  `vec4f(unpack2x16float(${load}.${one}), unpack2x16float(${load}.${other}))`;

const VECTORS = new Map<Item, Vector>([
  [ITEMS.f32, { elements: 4, type: 'vec4f', fours: (load) => [load] }],
  [
    ITEMS.f16,
    {
      elements: 8,
      type: 'vec4u',
      fours: (load) => [fourHalves(load, 'xy'), fourHalves(load, 'zw')],
    },
  ],
]);

/** Bits of 2^23, whose fraction counts ones. */
const ONES = 0x4b000000;

/**
 * Integers of a few bits as floats, without a conversion: as fraction of 2^23, shifted up by as much as
 * they are in their half of the word, one exact multiply-add makes them what they are. 1.02 times as
 * fast as unpacking and converting them (1x14336x4096 of q4_0, NVIDIA H200, 2026-11-27).
 */
function packedVector({ bits, bias, flip, place, word }: Packing): Vector {
  const elements = 128 / bits;
  const four = (load: string, first: number) => {
    const places = each(4, (i) => bits * place(first + i));
    const from = `${load}.${WORDS[word(first)]}`;
    const halves = places.map((at) => (at < 16 ? from : `${from} >> 16u`));
    const shifts = places.map((at) => at % 16);
    const masks = shifts.map((shift) => `${(2 ** bits - 1) * 2 ** shift}u`);
    const ones = shifts.map((shift) => `${ONES + flip * 2 ** shift}u`);
    const factors = shifts.map((shift) => 2 ** -shift);
    const offsets = shifts.map((shift) => -(2 ** (23 - shift) + bias));
    const bitsOf = `(vec4u(${halves}) & vec4u(${masks})) ^ vec4u(${ones})`;
    return `fma(bitcast<vec4f>(${bitsOf}), vec4f(${factors}), vec4f(${offsets}))`;
  };
  return {
    elements,
    type: 'vec4u',
    fours: (load) => each(elements / 4, (i) => four(load, 4 * i)),
  };
}

/** Throws TypeError for a storage that nothing says how to read by vectors. */
export function vectorOf(dtype: Dtype): Vector {
  const { storage } = DTYPES[dtype].tensors.B;
  const [values]: readonly StoragePart[] = STORAGES[storage].parts;
  const vector = values?.item.packing
    ? packedVector(values.item.packing)
    : values && VECTORS.get(values.item);
  if (!vector) throw new TypeError(`rows of ${storage} are not read by vectors`);
  return vector;
}

/** Elements of A in a load of 16 bytes. */
export const perLoadOf = (dtype: Dtype): number =>
  areBytes(dtype) ? 16 : 16 / DTYPES[dtype].bytes;
