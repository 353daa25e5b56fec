import { expect, it } from 'vitest';
import { sameBytes } from './same-bytes';

it('tells apart what differs in one bit, wherever that is, and in length', () => {
  // Words and, behind them, one to three bytes.
  for (const length of [0, 3, 4, 7, 8, 9]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i);
    expect(sameBytes(bytes, bytes.slice())).toBe(true);
    expect(sameBytes(bytes, new Uint8Array(length + 1))).toBe(false);
    for (let at = 0; at < length; at++) {
      const other = bytes.slice();
      other[at] = (other[at] ?? 0) ^ 0x80;
      expect(sameBytes(bytes, other), `${at} of ${length}`).toBe(false);
    }
  }
});

it('looks at its part of a buffer alone', () => {
  const whole = new Uint8Array(16);
  whole[15] = 1;
  expect(sameBytes(whole.subarray(4, 10), new Uint8Array(6))).toBe(true);
});
