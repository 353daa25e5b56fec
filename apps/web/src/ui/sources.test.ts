import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What no page may say, whichever component writes it: looked for in the sources of all of them. */

const root = new URL('..', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test'))
  .map((file) => ({ file, lines: readFileSync(`${root}${file}`, 'utf8').split('\n') }));

/** Lines that match and are no comment, each with two lines before and after it. */
const saying = (words: RegExp) =>
  files.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) =>
      words.test(line) && !/^\s*(\*|\/)/.test(line)
        ? [{ file, around: lines.slice(Math.max(0, at - 2), at + 3).join('\n') }]
        : [],
    ),
  );

test('the unit of a rate or an intensity is that of its problem: integers have another than floats', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(saying(/G(FLOP|op)\/s|FLOP\/byte|(rateUnit|opsUnit)\(\{/)).toEqual([]);
});

test('a ratio over naive says over which: the heading is written in one place', () => {
  expect(saying(/\bover naive|over the fastest naive/i).map(({ file }) => file)).toEqual([
    'features/results/columns.tsx',
  ]);
});

test('what is called a 95% interval is one: where it may be a range, that is said with it', () => {
  const claims = saying(/95% interval/);
  expect(claims.length).toBeGreaterThan(5);
  const isSure = /\brange|isRange|hasInterval|duel|turns/i;
  const unsure = claims.filter(({ around, file }) => !isSure.test(`${file} ${around}`));
  expect(unsure).toEqual([]);
});

test('features of an adapter are shown in words: not all of their names are of WebGPU', () => {
  const shown = saying(/features\b.*\.join\(/);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.filter(({ around }) => !around.includes('featureText'))).toEqual([]);
});
