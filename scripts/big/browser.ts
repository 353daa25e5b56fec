import { chromium, type Page } from '@playwright/test';
import config from '../../playwright.config';

const SCROLLS = 120;
const SCROLL_PX = 600;
const LOADS = 5;
const PAGES = 20;

export interface Load {
  /** From the navigation until the page has loaded and its runs are on it. */
  readonly loadMs: number;
  /** Until its charts are drawn too. */
  readonly drawnMs: number;
}

export interface SweepFigures {
  /** By a browser and a server that have not seen the page. */
  readonly first: Load;
  /** The medians of later loads, each whole: the page is never kept. */
  readonly again: Load;
  /** The median from asking for the next runs of the table until they are drawn. */
  readonly pageMs: number;
  readonly p95FrameMs: number;
  readonly longestFrameMs: number;
  /** Frames that took over 50 ms while scrolling, of all. */
  readonly longFrames: number;
  readonly frames: number;
}

/** Opens the machine's own Chromium for as long as `use` takes. */
export async function withPage<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await chromium.launch(config.use?.launchOptions ?? {});
  try {
    return await use(await browser.newPage({ viewport: { width: 1280, height: 900 } }));
  } finally {
    await browser.close();
  }
}

/** Bytes of script, as sent, that the first load of an address asks for. */
export async function scriptBytes(page: Page, url: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await page.goto(url, { waitUntil: 'networkidle' });
  await session.detach();
  return bytes;
}

/** Loads the page of a sweep and scrolls through its runs. */
export async function sweepFigures(page: Page, url: string): Promise<SweepFigures> {
  const first = await load(page, url);
  const again: Load[] = [];
  for (let time = 0; time < LOADS; time++) again.push(await load(page, url));
  await page.waitForLoadState('networkidle');
  const framesMs = await page.evaluate(
    async ([scrolls, px]) => {
      const frames: number[] = [];
      // No function of its own: tsx would name it by a helper that the page does not have.
      const end = document.documentElement.scrollHeight - window.innerHeight;
      let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      let step: number = px;
      for (let scroll = 0; scroll < scrolls; scroll++) {
        // Down and up again: at an end there is nothing to draw.
        if (window.scrollY + step < 0 || window.scrollY + step > end) step = -step;
        window.scrollBy(0, step);
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        frames.push(now - last);
        last = now;
      }
      return frames.sort((a, b) => a - b);
    },
    [SCROLLS, SCROLL_PX] as const,
  );
  return {
    first,
    pageMs: await pageMs(page),
    again: {
      loadMs: median(again.map(({ loadMs }) => loadMs)),
      drawnMs: median(again.map(({ drawnMs }) => drawnMs)),
    },
    p95FrameMs: framesMs[Math.ceil(0.95 * framesMs.length) - 1] ?? Number.NaN,
    longestFrameMs: framesMs.at(-1) ?? Number.NaN,
    longFrames: framesMs.filter((ms) => ms > 50).length,
    frames: framesMs.length,
  };
}

/** Pages through the table of runs. */
async function pageMs(page: Page): Promise<number> {
  const times = await page.evaluate(async (pages) => {
    const times: number[] = [];
    for (let turned = 0; turned < pages; turned++) {
      const next = [...document.querySelectorAll('nav button')].find(
        (button) => button.textContent === 'Next',
      );
      const startMs = performance.now();
      (next as HTMLButtonElement | undefined)?.click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      times.push(performance.now() - startMs);
    }
    return times;
  }, PAGES);
  return median(times);
}

/** One load of the page of a sweep, from the request on. */
async function load(page: Page, url: string): Promise<Load> {
  // What was loaded before is not there to be drawn over.
  await page.goto('about:blank');
  const startMs = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await page.getByRole('table', { name: 'Results of the sweep' }).waitFor();
  const loadMs = performance.now() - startMs;
  await page.locator('figure svg').first().waitFor();
  await page.getByText('Drawing …').first().waitFor({ state: 'detached' });
  return { loadMs, drawnMs: performance.now() - startMs };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
