import { expect, test } from 'vitest';
import { changeOf, entryOf, isComment, partOf } from './code';

const closed = { isOpen: false, href: '?' };
const program = (before: number, after: number) => [
  ...Array.from({ length: before }, (_, at) => `const C${at} = 1u;`),
  '@compute @workgroup_size(1)',
  ...Array.from({ length: after }, () => '  work();'),
];

test('a long program opens on its entry point, and is whole on demand', () => {
  const lines = program(80, 60);
  const { from, shown } = partOf(lines, closed, entryOf(lines));
  expect([from, shown[0], shown.length]).toEqual([80, '@compute @workgroup_size(1)', 29]);
  expect(partOf(lines, { ...closed, isOpen: true }, 80)).toMatchObject({ shown: lines, from: 0 });
  // Where the page has no other form, nothing is left out.
  expect(partOf(lines, undefined, 80)).toMatchObject({ shown: lines, fold: null });
});

test('a screen is full where the entry point is near the end, and begins at 1 where it is near', () => {
  const short = program(25, 14);
  expect(partOf(short, closed, entryOf(short))).toMatchObject({ from: 11 });
  const early = program(5, 300);
  expect(partOf(early, closed, entryOf(early))).toMatchObject({ from: 0 });
  expect(partOf(program(5, 30), closed, 5)).toMatchObject({ from: 0, fold: null });
});

test('a screen does not begin in the middle of a comment', () => {
  const drawn = [...Array(15).fill('//  +---+'), '', ...program(8, 14)];
  expect(partOf(drawn, closed, entryOf(drawn), isComment)).toMatchObject({ from: 15 });
  const whole = ['', ...Array(8).fill('//  +---+'), ...program(16, 11)];
  expect(partOf(whole, closed, entryOf(whole), isComment)).toMatchObject({ from: 9 });
});

test('a comparison opens on the first change of code, not of constants', () => {
  const line = (kind: string, text: string) => ({ kind, text });
  const lines = [
    line('added', 'const TILE: u32 = 16u;'),
    line('removed', ''),
    line('kept', 'struct Shape { m: u32 }'),
    line('kept', 'fn f() {'),
    line('added', '  work();'),
  ];
  expect(changeOf(lines)).toBe(2);
});
