import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { expect, it } from 'vitest';
import { Markdown } from '@/ui/markdown';
import { GROUPS, headingsOf, hrefOf, PRIMERS, textFor } from './primers';

it('has every file of docs/ and docs/results, each with a title', async () => {
  const folder = new URL('../../../../../docs/', import.meta.url);
  const files = [...(await readdir(folder)), ...(await readdir(new URL('results/', folder)))];
  const slugs = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  expect(PRIMERS.map(({ slug }) => slug)).toEqual(expect.arrayContaining(slugs));
  expect(new Set(PRIMERS.map(({ slug }) => slug)).size).toBe(PRIMERS.length);
  for (const { slug, text, title } of PRIMERS) {
    expect(title, slug).not.toBe(slug);
    // A comment of a shell begins like a title.
    expect(withoutCode(text), slug).not.toMatch(/^# /m);
  }
});

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

it('keeps the guides short and without dates, and links each section', async () => {
  const guides = GROUPS.find(({ title }) => title === 'Guides')?.primers ?? [];
  expect(guides).toHaveLength(6);
  const wordsIn = (text: string) => text.split(/\s+/).length;
  const readme = await readFile(new URL('../../../../../README.md', import.meta.url), 'utf8');
  expect(wordsIn(readme)).toBeLessThan(600);
  expect(wordsIn([readme, ...guides.map(({ text }) => text)].join(' '))).toBeLessThanOrEqual(
    12_500,
  );
  const measure = guides.find(({ slug }) => slug === 'measure')?.text ?? '';
  expect(wordsIn(measure)).toBeLessThanOrEqual(2_500);
  for (const guide of guides) {
    expect.soft(guide.text, guide.slug).not.toMatch(/\b20\d\d-\d\d|\bsince\b/i);
    const page = await drawnFrom(guide.text);
    const drawn = [...page.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id);
    const named = headingsOf(guide).map(({ id }) => id);
    expect.soft(named, guide.slug).toEqual(drawn);
  }
});

/** The page of a text; code is highlighted by components that wait. */
async function drawnFrom(text: string): Promise<string> {
  const { prelude } = await prerender(
    createElement(Markdown, { text, hrefOf: (link: string) => link }),
  );
  return new Response(prelude).text();
}

it.each(PRIMERS)('names each table of $slug apart', async ({ text }) => {
  const page = await drawnFrom(text);
  const names = [...page.matchAll(/<caption[^>]*>(.*?)<\/caption>/g)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('is linked, by guides and pages, at sections that it has', async () => {
  const folder = new URL('../../../src/', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const pages = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const links = [
    ...pages.flatMap((page) => page.match(/(?<=["'(])\/docs\/[\w-]+(?:#[\w-]+)?(?=["')])/g) ?? []),
    ...PRIMERS.flatMap(({ file, slug, text }) =>
      [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => {
        const href = hrefOf(link, file) ?? '';
        return href.startsWith('#') ? `/docs/${slug}${href}` : href;
      }),
    ),
  ].filter((link) => link.startsWith('/docs/') && !link.endsWith('.json'));
  expect(links.length).toBeGreaterThan(50);
  for (const link of links) {
    const [, slug, id] = /^\/docs\/([\w-]+)(?:#(.+))?$/.exec(link) ?? [];
    const primer = PRIMERS.find((each) => each.slug === slug);
    const ids = primer ? headingsOf(primer).map((heading) => heading.id) : [];
    expect.soft(primer && (id === undefined || ids.includes(id)), link).toBe(true);
  }
});

it.each([
  ['choose.md', '/docs/choose'],
  ['measure.md#the-roof', '/docs/measure#the-roof'],
  ['#the-shader', '#the-shader'],
  ['results/trials-h200.md#f32', '/docs/trials-h200#f32'],
  ['../packages/kernels/src/matmul/README.md', '/docs/matmul'],
  ['../packages/kernels/src/matmul/06-warp-tile.ts', '/kernels/matmul/warp-tile'],
  ['../packages/kernels/src/transpose/cpu/02-blocked.ts', '/kernels/transpose/cpu-blocked'],
  ['https://example.org/a.md', 'https://example.org/a.md'],
  ['results/h200-2026-11-21/copy.json', '/docs/results/h200-2026-11-21/copy.json'],
  ['../packages/core/src/measure/measure.ts', null],
  ['missing.md', null],
])('%s leads to %s', (link, href) => {
  expect(hrefOf(link, 'docs/start.md')).toBe(href);
});

it('reads whole where a link leads nowhere: its text is code, or names the file', () => {
  const stranded = PRIMERS.flatMap(({ file, text }) =>
    [...withoutCode(text).matchAll(/(?<!!)\[((?:`[^`]*`|[^\]])+)\]\(([^)\s]+)\)/g)]
      .filter(([, words = '', link = '']) => {
        const isSaid = /^`[^`]+`$/.test(words) || words.includes(basename(link));
        return hrefOf(link, file) === null && !isSaid;
      })
      .map(([whole]) => `${file}: ${whole}`),
  );
  expect(stranded).toEqual([]);
});

it('names its primers by their titles, not by their files', () => {
  const named = PRIMERS.flatMap(({ file, text }) =>
    [...text.matchAll(/\[[\w/-]+\.md\]\(/g)].map(([link]) => `${file}: ${link}`),
  );
  expect(named).toEqual([]);
});

it('gives comments in commands short lines of their own, which no phone wraps', () => {
  const commands = PRIMERS.flatMap(({ file, text }) =>
    [...text.matchAll(/^```(?:sh|yaml|nginx|ini)\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) =>
      code.split('\n').map((line) => `${file}: ${line}`),
    ),
  );
  expect(commands.filter((line) => /: .*\S +# /.test(line))).toEqual([]);
  expect(commands.filter((line) => /: *# .{45}/.test(line))).toEqual([]);
});

it('copies no command that drops a database along with the one that saves it', () => {
  const blocks = PRIMERS.flatMap(({ text }) => text.match(/^```sh\n[\s\S]*?^```/gm) ?? []);
  const dropping = blocks.filter((block) => block.includes('dropdb'));
  expect(dropping).toHaveLength(1);
  expect(dropping.join()).not.toContain('pg_dump');
});

it('heads its tables', () => {
  const bare = PRIMERS.filter(({ text }) => /\n\n(?:\| *)+\|\n/.test(text));
  expect(bare.map(({ file }) => file)).toEqual([]);
});

it('has a heading for every line of a card, as a phone shows a table of words', () => {
  const cards = PRIMERS.flatMap(({ file, text }) => {
    const tables = [...text.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => table).join('\n');
    const page = createElement(Markdown, { text: tables, hrefOf: (link: string) => link });
    const heads = renderToStaticMarkup(page).matchAll(
      /<table class="data-table stacks[^>]*>[\s\S]*?<\/thead>/g,
    );
    return [...heads].map(([head]) => ({ file, head }));
  });
  expect(cards.length).toBeGreaterThan(20);
  expect(cards.filter(({ head }) => head.includes('<td>'))).toEqual([]);
});

it('prints commands for the grid that shows it, which need no checkout', () => {
  const origin = 'https://lab.example';
  for (const primer of PRIMERS) {
    const text = textFor(primer, origin);
    expect.soft(text, primer.slug).not.toMatch(/npx tilemark |localhost:\d|grid\.example:/);
    const before = /(.*)\n+```sh\n(?=npx -y)/g;
    for (const [, sentence] of text.matchAll(before)) {
      expect.soft(sentence, primer.slug).not.toMatch(/checkout/);
    }
  }
});

it('leads to no file of figures that is missing', async () => {
  const folder = new URL('../../../../../docs/results/', import.meta.url);
  const files = await readdir(folder, { recursive: true });
  for (const { file, text } of PRIMERS) {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+\.json)\)/g)) {
      const href = hrefOf(link, file);
      if (href)
        expect.soft(files, `${file}: ${link}`).toContain(href.slice('/docs/results/'.length));
    }
  }
});

/** Where the tests of a vitest project are. */
const PROJECTS: Readonly<Record<string, string>> = {
  core: 'packages/core/src',
  faults: 'tests/faults',
  scripts: 'scripts',
  web: 'apps/web/src',
  worker: 'apps/worker/src',
};

it('tells of calls that exist, from the worker to the board', async () => {
  const { text = '' } = PRIMERS.find(({ slug }) => slug === 'extend') ?? {};
  const [, section = ''] = /^## From the worker to the board\n([\s\S]*?)^## /m.exec(text) ?? [];
  const calls = [...section.matchAll(/^\d\. \[`(?:\w+\.)?(\w+)`\]\((\S+)\)/gm)];
  expect(calls).toHaveLength(4);
  const folder = new URL('../../../../../docs/', import.meta.url);
  for (const [, call, file = ''] of calls) {
    const source = await readFile(new URL(file, folder), 'utf8');
    expect
      .soft(source)
      .toMatch(new RegExp(`^(?:export )?(?:  )?(?:async )?(?:function )?${call}\\(`, 'm'));
  }
});

it('proves what it promises of faults by tests that exist', async () => {
  const { text = '' } = PRIMERS.find(({ slug }) => slug === 'faults') ?? {};
  const commands = text.matchAll(
    /`npm run test:(faults) -- ([^`]+)`|`npx vitest run --project (\w+) ([^`]+)`/g,
  );
  let found = 0;
  for (const [command, faults, ofFaults, project = faults ?? '', others = ofFaults] of commands) {
    const [, file = '', quoted, word] =
      /^(\S*?)(?: ?-t (?:"(.+)"|(\S+)))?$/.exec(others ?? '') ?? [];
    const folder = new URL(`../../../../../${PROJECTS[project]}/`, import.meta.url);
    const files = await readdir(folder, { recursive: true });
    const tests = files.filter((name) => name.endsWith('.test.ts') && name.includes(file));
    const sources = await Promise.all(tests.map((name) => readFile(new URL(name, folder), 'utf8')));
    const title = quoted ?? word ?? '';
    expect
      .soft(
        sources.some((source) => source.includes(title)),
        command,
      )
      .toBe(true);
    found++;
  }
  expect(found).toBeGreaterThan(45);
});
