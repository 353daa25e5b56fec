import { expect, test } from 'vitest';
import { observedTickNs } from './timestamps';

test('the tick is the step that all observed values share', () => {
  expect(observedTickNs([1_000n, 1_064n, 1_160n, 2_024n])).toBe(32);
  expect(observedTickNs([7n, 9n, 12n])).toBe(1);
});

test('quantised clocks are refused with the toggle that is missing', () => {
  const quantised = [65_536n, 131_072n, 655_360n];
  expect(() => observedTickNs(quantised)).toThrow('disable-dawn-features=timestamp_quantization');
  expect(observedTickNs([...quantised, 655_361n])).toBe(1);
});

test('a clock that stands still is not used', () => {
  expect(() => observedTickNs([5n, 5n])).toThrow('no usable GPU clock');
  expect(() => observedTickNs([])).toThrow('no usable GPU clock');
});
