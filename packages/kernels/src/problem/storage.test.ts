import { describe, expect, test } from 'vitest';
import { encode, toDevice } from './encoding.test-helper';
import { ITEMS } from './storage';

/** Items that a device has for some values, and the values that it has for them. */
const roundTrip = (item: (typeof ITEMS)[keyof typeof ITEMS], values: readonly number[]) => [
  ...item.fromDevice(toDevice(item, values).buffer, values.length),
];

describe('items', () => {
  const bytes = Array.from({ length: 32 }, (_, i) => (i % 2 ? 8 * i - 120 : 3 - 7 * i) % 127);
  const nibbles = Array.from({ length: 64 }, (_, i) => ((5 * i) % 16) - 8);

  test.each([
    ['i8', bytes],
    ['i4', nibbles],
    ['i4Pairs', nibbles],
    ['f16', [0, 1, -2, 0.333251953125, 2 ** -14, 65_504]],
  ] as const)('%s come back as they went', (name, values) => {
    expect(roundTrip(ITEMS[name], values)).toEqual(values);
  });

  test('of 4 bits lie as ggml and ONNX have them', () => {
    const values = Array.from({ length: 32 }, (_, i) => (i % 16) - 8);
    // ggml: number j and number j + 16 in byte j; ONNX: numbers 2j and 2j + 1.
    expect(toDevice(ITEMS.i4, values)[3]).toBe(0x33);
    expect(toDevice(ITEMS.i4Pairs, values)[1]).toBe(0x32);
    expect(toDevice(ITEMS.i8, [-1, 2])[0]).toBe(0xff);
  });
});

describe.each([
  ['q8_0', 1 / 254],
  ['q4_0', 1 / 8],
  ['nbits4', 1 / 8],
] as const)('%s', (id, error) => {
  const row = Float32Array.from({ length: 96 }, (_, i) => Math.sin(7 * i + 1) * 2 ** (i >> 5));

  test('encodes rows to within half a step of each block', () => {
    const [values = [], scales = []] = encode(id, row);
    expect(values).toHaveLength(96);
    expect(scales).toHaveLength(3);
    for (const [i, exact] of row.entries()) {
      const largest = Math.max(...row.slice(i & ~31, (i & ~31) + 32).map(Math.abs));
      expect(Math.abs(values[i]! * scales[i >> 5]! - exact)).toBeLessThanOrEqual(
        1.001 * error * largest,
      );
    }
  });

  test('encodes zeros', () => {
    const [values, scales] = encode(id, new Float32Array(32));
    expect(values?.every((value) => value === 0)).toBe(true);
    expect(scales?.map(Math.abs)).toEqual([0]);
  });
});

describe('nbits4z', () => {
  test('encodes rows to within a step of each block, whose range has 0 in it', () => {
    // Blocks on both sides of 0, above it alone, and below it alone.
    const row = Float32Array.from({ length: 96 }, (_, i) => Math.sin(7 * i + 1) + (i >> 5) * 4 - 4);
    const [values = [], scales = [], zeros = []] = encode('nbits4z', row);
    expect([scales.length, zeros.length]).toEqual([3, 3]);
    expect(zeros.slice(1)).not.toEqual([0, 0]);
    for (const [i, exact] of row.entries()) {
      const block = row.slice(i & ~31, (i & ~31) + 32);
      const step = (Math.max(0, ...block) - Math.min(0, ...block)) / 15;
      expect(values[i]).toBe(Math.max(-8, Math.min(7, values[i]!)));
      const decoded = (values[i]! - zeros[i >> 5]!) * scales[i >> 5]!;
      expect(Math.abs(decoded - exact)).toBeLessThanOrEqual(1.001 * step);
    }
  });

  test('encodes zeros', () => {
    const [values, scales, zeros] = encode('nbits4z', new Float32Array(32));
    expect([values?.every((value) => value === 0), scales, zeros]).toEqual([true, [0], [0]]);
  });
});
