import { chromium, type Page } from '@playwright/test';
import config from '../../playwright.config';

const SCROLLS = 120;
const SCROLL_PX = 600;

export interface SweepFigures {
  /** From the navigation until the page has loaded and its runs are on it. */
  readonly loadMs: number;
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
  await page.goto(url, { waitUntil: 'load' });
  const startMs = performance.now();
  await page.reload({ waitUntil: 'load' });
  await page.getByRole('table', { name: 'Results of the sweep' }).waitFor();
  const loadMs = performance.now() - startMs;
  await page.waitForLoadState('networkidle');
  const framesMs = await page.evaluate(
    async ([scrolls, px]) => {
      const frames: number[] = [];
      // No function of its own: tsx would name it by a helper that the page does not have.
      let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      for (let scroll = 0; scroll < scrolls; scroll++) {
        window.scrollBy(0, px);
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        frames.push(now - last);
        last = now;
      }
      return frames.sort((a, b) => a - b);
    },
    [SCROLLS, SCROLL_PX] as const,
  );
  return {
    loadMs,
    p95FrameMs: framesMs[Math.ceil(0.95 * framesMs.length) - 1] ?? Number.NaN,
    longestFrameMs: framesMs.at(-1) ?? Number.NaN,
    longFrames: framesMs.filter((ms) => ms > 50).length,
    frames: framesMs.length,
  };
}
