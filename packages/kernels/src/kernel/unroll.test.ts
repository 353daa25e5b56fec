import { expect, test } from 'vitest';
import { unrolled } from './unroll';

const shader = (count: string, body: string) => `const TILE: u32 = 16u;
const STEPS = TILE / 4 / 2;
fn main() {
  for (var t = 0u; t < shape.k; t += TILE) {
    for (var i = 0u; i < ${count}; i++) {
      ${body}
    }
  }
}`;

test('writes a loop of constants out, loops in loops and braces in comments too', () => {
  expect(unrolled(shader('STEPS', 'sum += a[i]; // }'))).toBe(`const TILE: u32 = 16u;
const STEPS = TILE / 4 / 2;
fn main() {
  for (var t = 0u; t < shape.k; t += TILE) {
    { const i = 0u;
      sum += a[i]; // }
    } { const i = 1u;
      sum += a[i]; // }
    }
  }
}`);
  const nested = unrolled(shader('2', 'for (var j = 0u; j < 3; j++) { sum += i * j; }'));
  expect(nested.match(/sum \+=/g)).toHaveLength(6);
  expect(nested).not.toContain('i++');
});

test.each([
  ['turns that the device alone knows', 'shape.k', 'sum += a[i];'],
  ['a sum', 'TILE + 1', 'sum += a[i];'],
  ['more text than a tile of K', '1025', 'sum += a[i];'],
  ['a way out', 'STEPS', 'if (a[i] > 1) { break; }'],
])('leaves a loop of %s', (_what, count, body) => {
  expect(unrolled(shader(count, body))).toBe(shader(count, body));
});
