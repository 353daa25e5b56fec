import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { hrefOf, PRIMERS } from './primers';

it('has every file of docs/, each with a title', async () => {
  const folder = new URL('../../../../../docs/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'));
  expect(PRIMERS.map(({ slug }) => `${slug}.md`).toSorted()).toEqual(files.toSorted());
  for (const { slug, text, title } of PRIMERS) {
    expect(title, slug).not.toBe(slug);
    // A comment of a shell begins like a title.
    expect(text.replaceAll(/^```[\s\S]*?^```/gm, ''), slug).not.toMatch(/^# /m);
  }
});

it.each([
  ['tolerance.md', '/docs/tolerance'],
  ['measurement.md#the-roof', '/docs/measurement#the-roof'],
  ['#the-shader', '#the-shader'],
  ['https://example.org/a.md', 'https://example.org/a.md'],
  ['../packages/core/src/measure/measure.ts', null],
  ['missing.md', null],
])('%s leads to %s', (link, href) => {
  expect(hrefOf(link)).toBe(href);
});
