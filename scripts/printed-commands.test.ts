import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !/\.test\.|test-helper|docs\/results\//.test(file));

test('no page and no text tells anybody to put a token on a command line, which all may read', () => {
  const files = listed(
    'README.md',
    'docs',
    '.github',
    'apps/web/src',
    'packages/*/src',
    'examples',
  );
  expect(files.length).toBeGreaterThan(200);
  // With a value: a list of options may name it.
  const bare = files.filter((file) => /--token [^<]/.test(readFileSync(`${root}${file}`, 'utf8')));
  expect(bare).toEqual([]);
});
