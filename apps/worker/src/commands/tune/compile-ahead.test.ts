import { expect, it } from 'vitest';
import { compilesAhead } from './compile-ahead';

it.each([
  ['gpu', ['timestamp-query'], true],
  ['gpu', ['shader-f16'], false],
  ['software', ['timestamp-query'], false],
  ['cpu', [], false],
] as const)('on a device of class %s with %j: %s', (deviceClass, features, expected) => {
  const device = { identity: { class: deviceClass }, capabilities: { features: [...features] } };
  expect(compilesAhead(device)).toBe(expected);
});
