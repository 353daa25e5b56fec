import { expect, type Page } from '@playwright/test';
import { test } from './fixtures';

/**
 * How much the interface says: the words of the pages of a fresh grid, as an admin sees them, each text
 * once, without code, numbers, and what the docs and the API's description say at length.
 */

const PAGES = [
  '/',
  '/?dtype=f16',
  '/?view=portability',
  '/best',
  '/best?m=1&n=4096&k=4096',
  '/chart',
  '/kernels',
  '/kernels/matmul/warp-tile',
  '/kernels/new',
  '/devices',
  '/devices/nvidia-nvidia_h200-vulkan-dawn',
  '/sweeps',
  '/sweeps/new',
  '/join',
  '/add',
  '/operate',
  '/operate/tokens',
  '/login',
  '/nothing/here',
];

const MOST_WORDS = 2_600;

/** The texts of a page, folded ones too. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const isLeftOut = (element: Element | null) =>
      element?.closest('code, pre, script, style, textarea, svg, .font-mono, .cm-editor') ?? false;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = node.textContent?.replaceAll(/\s+/g, ' ').trim();
      if (text && !isLeftOut(node.parentElement)) texts.push(text);
    }
    return texts;
  });

const wordsIn = (text: string): number => text.match(/[A-Za-z][A-Za-z’'-]+/g)?.length ?? 0;

test('the interface of a fresh grid says what it has to say in 2,600 words', async ({
  makeGrid,
  page,
}) => {
  const grid = await makeGrid();
  await page.goto(grid.loginUrl);
  const known = new Set<string>();
  const counts: Record<string, number> = {};
  for (const path of PAGES) {
    await page.goto(`${grid.url}${path}`);
    const fresh = (await textsOf(page)).filter((text) => !known.has(text));
    for (const text of fresh) known.add(text);
    counts[path] = [...new Set(fresh)].reduce((sum, text) => sum + wordsIn(text), 0);
  }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(MOST_WORDS);
  await grid.stop();
});
