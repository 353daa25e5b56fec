import { InputError } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { evaluate } from './expression';

describe('an expression', () => {
  it.each([
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['7 / 2', 3],
    ['ceil(7 / 2)', 4],
    ['2 * ceil(33 / 16)', 6],
    ['(A + 31) / 32', 1],
    ['16 >> 2 | 0x10', 20],
    ['u32(A) ^ 5', 1],
    ['9 - 4 - 3', 2],
    ['A % 3 == 1 && A >= 4', 1],
    ['16u', 16],
  ])('%s is %i', (text, value) => expect(evaluate(text, { A: 4 }, 'x')).toBe(value));

  it('rounds quotients as it is told, and shifts down', () => {
    expect(evaluate('17 / 16', {}, 'x', Math.ceil)).toBe(2);
    expect(evaluate('17 >> 4', {}, 'x', Math.ceil)).toBe(1);
  });

  it.each(['', '2 +', '(1', '1)', 'B', '1 / 0', 'constructor', '2 $ 3', '('.repeat(401)])(
    '%s is refused',
    (text) => {
      expect(() => evaluate(text, { A: 4 }, 'field')).toThrow(InputError);
    },
  );
});
