import { expect, test } from 'vitest';
import { partOf } from './code';

const fold = (isOpen: boolean) => ({ isOpen, href: '?show=wgsl' });
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`);

test.each([
  [150, false, 150, false],
  [151, false, 29, true],
  [151, true, 151, true],
])('of %d lines, asked for all: %s, %d are sent', (count, isOpen, sent, isFolded) => {
  const part = partOf(lines(count), fold(isOpen));
  expect(part.shown).toEqual(lines(sent));
  expect(part.fold !== null).toBe(isFolded);
});

test('code that cannot be folded is sent whole', () => {
  expect(partOf(lines(500), undefined).shown).toHaveLength(500);
});
