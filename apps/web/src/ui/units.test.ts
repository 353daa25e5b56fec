import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no page writes a unit of rates itself: integers have another than floats', () => {
  const root = new URL('..', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test'),
  );
  expect(files.length).toBeGreaterThan(100);
  const written = files.filter((file) =>
    readFileSync(`${root}${file}`, 'utf8')
      .split('\n')
      .some((line) => /G(FLOP|op)\/s/.test(line) && !/^\s*(\*|\/)/.test(line)),
  );
  expect(written).toEqual([]);
});
