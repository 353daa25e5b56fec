import { expect, test } from 'vitest';
import { isSource, roomsOf, sizeTable, totalOf } from './size';

const LIMITS = { 'core/src': 10, 'core/src/gate': 3, web: 5 };
const FILES = new Map([
  ['core/src/index.ts', 4],
  ['core/src/gate/gate.ts', 3],
  ['web/page.tsx', 6],
]);

test('source is code, styles, shaders and schemas, without tests', () => {
  const paths = ['a.ts', 'a.tsx', 'a.wgsl', 'a.css', 'a.sql', 'a.prisma', 'a.mjs'];
  expect(paths.filter(isSource)).toEqual(paths);
  const others = ['a.test.ts', 'a.full.test.ts', 'a.test-helper.ts', 'a.spec.ts', 'a.json', 'a.md'];
  expect(others.filter(isSource)).toEqual([]);
});

test('a file counts for the longest folder that contains it', () => {
  expect(roomsOf(FILES, LIMITS).map(({ lines }) => lines)).toEqual([4, 3, 6]);
});

test('a file outside of every folder is an error', () => {
  expect(() => roomsOf(new Map([['docs/x.ts', 1]]), LIMITS)).toThrow('docs/x.ts is in no folder');
});

test('the table marks what is past its limit', () => {
  const rooms = roomsOf(FILES, LIMITS);
  expect(sizeTable([...rooms, totalOf('engine', rooms, ['core'], 6)])).toBe(
    [
      'core/src           4 of     10',
      'core/src/gate      3 of      3',
      'web                6 of      5  1 too many',
      'engine             7 of      6  1 too many',
    ].join('\n'),
  );
});
