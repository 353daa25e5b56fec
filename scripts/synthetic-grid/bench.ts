import { Agent, get } from 'node:http';
import { loadavg } from 'node:os';
import { chromium, type Page } from '@playwright/test';
import config from '../../playwright.config';
import { startGrid } from '../../tests/grid';
import { say } from '../start/terminal';
import { bigOptions, seedBig } from './seed';

/**
 * `npm run bench:web`: how fast the site is with a synthetic grid of 200 devices and 1,000,000
 * results, which is created on the first run. Readers, site, database and browser share the machine.
 */

const READERS = 8;
const REQUESTS = 400;
/** Loads of a sweep's page after the first. */
const LOADS = 5;
const GOALS = {
  ...{ p50Ms: 50, p95Ms: 120, scriptBytes: 200_000, sweepMs: 2_000 },
  ...{ paintMs: 1_000, shift: 0.02 },
};

const DEVICE = 'synthetic_b-synthetic_gpu_002-vulkan-dawn';
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['leaderboard', '/'],
  ['portability', '/?view=portability'],
  ['device', `/devices/${DEVICE}`],
  ['kernel', '/kernels/matmul/warp-tile'],
];

/** Readers without a cookie share one rendering of a page; each of those with one gets its own. */
const SHARED = { 'Accept-Encoding': 'gzip' };
const OWN = { ...SHARED, Cookie: 'reader=own' };

/** The complete response to one request, compressed. Rejects unless it is 200. */
function timedGet(
  url: string,
  agent: Agent,
  headers: Readonly<Record<string, string>>,
): Promise<{ ms: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    get(url, { agent, headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ ms: performance.now() - startMs, bytes });
        else reject(new Error(`${url} answered ${answer.statusCode}.`));
      });
      answer.on('error', reject);
    }).on('error', reject);
  });
}

/** The very first response, then those to readers who each ask again as soon as they have one. */
async function readConcurrently(url: string, headers: Readonly<Record<string, string>>) {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  try {
    const first = await timedGet(url, agent, headers);
    // Warm up first: code compiled and connections open, as on a server that has been up for a while.
    for (let warm = 0; warm < 3 * READERS; warm++) await timedGet(url, agent, headers);
    const timesMs: number[] = [];
    let left = REQUESTS;
    const read = async () => {
      while (left-- > 0) timesMs.push((await timedGet(url, agent, headers)).ms);
    };
    await Promise.all(Array.from({ length: READERS }, read));
    return { first, p50Ms: quantile(timesMs, 0.5), p95Ms: quantile(timesMs, 0.95) };
  } finally {
    agent.destroy();
  }
}

/** Bytes of JavaScript, as sent, that the first load of an address requests. */
async function scriptBytes(page: Page, url: string): Promise<number> {
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

/** Times one load of a sweep's page: until it shows its runs, and until its charts are drawn as well. */
async function sweepLoad(page: Page, url: string): Promise<{ loadMs: number; drawnMs: number }> {
  // Start from an empty page, so that waiting does not find the old content.
  await page.goto('about:blank');
  const startMs = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await page.getByRole('table', { name: 'Results of the sweep' }).waitFor();
  const loadMs = performance.now() - startMs;
  await page.locator('figure section svg').first().waitFor();
  await page.getByText('Drawing …').first().waitFor({ state: 'detached' });
  return { loadMs, drawnMs: performance.now() - startMs };
}

/** When the largest element of a page was painted, and how far what stood there moved. */
async function paintOf(page: Page, url: string): Promise<{ paintMs: number; shift: number }> {
  await page.goto(url, { waitUntil: 'networkidle' });
  // Functions without names: the compiler's helper for named ones does not exist in the page.
  return page.evaluate(async () => {
    const [paints = [], shifts = []] = await Promise.all(
      ['largest-contentful-paint', 'layout-shift'].map(
        (type) =>
          new Promise<PerformanceEntryList>((resolve) => {
            new PerformanceObserver((list) => resolve(list.getEntries())).observe({
              type,
              buffered: true,
            });
            // Nothing moved: no entry will come.
            setTimeout(() => resolve([]), 500);
          }),
      ),
    );
    return {
      paintMs: paints.at(-1)?.startTime ?? Number.NaN,
      shift: (shifts as (PerformanceEntry & { value: number })[]).reduce(
        (sum, { value }) => sum + value,
        0,
      ),
    };
  });
}

async function measureInBrowser(url: string): Promise<void> {
  const browser = await chromium.launch(config.use?.launchOptions ?? {});
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const bytes = await scriptBytes(page, `${url}/`);
    const light = verdict(bytes < GOALS.scriptBytes);
    say(`JavaScript on the leaderboard's first load: ${kilobytes(bytes)}, goal 200 kB${light}`);
    const sweep = `${url}/sweeps/synthetic-sweep-1-0`;
    for (const path of ['/', `/devices/${DEVICE}`, '/sweeps/synthetic-sweep-1-0']) {
      const { paintMs, shift } = await paintOf(page, `${url}${path}`);
      const reached = shift < GOALS.shift && (path !== '/' || paintMs < GOALS.paintMs);
      say(
        `${path}: largest paint after ${ms(paintMs)}, layout shift ${shift.toFixed(3)}${verdict(reached)}`,
      );
    }
    const first = await sweepLoad(page, sweep);
    const again: (typeof first)[] = [];
    for (let time = 0; time < LOADS; time++) again.push(await sweepLoad(page, sweep));
    const median = (figureOf: (load: typeof first) => number) => quantile(again.map(figureOf), 0.5);
    const later = {
      loadMs: median((load) => load.loadMs),
      drawnMs: median((load) => load.drawnMs),
    };
    for (const [when, { drawnMs, loadMs }] of [
      ['first visit', first],
      ['again, median', later],
    ] as const) {
      const quick = verdict(loadMs < GOALS.sweepMs);
      say(
        `sweep of 5,000 runs, ${when}: loaded in ${ms(loadMs)}, goal 2 s${quick}; charts drawn after ${ms(drawnMs)}`,
      );
    }
  } finally {
    await browser.close();
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const kilobytes = (bytes: number): string => `${(bytes / 1e3).toFixed(0)} kB`;
const verdict = (reached: boolean): string => (reached ? '' : '  MISSED');

function row(name: string, ...figures: readonly string[]): void {
  say(name.padEnd(14) + figures.map((figure) => figure.padStart(10)).join(''));
}

const options = bigOptions('bench:web');
// The benchmark has its own database: it never measures one in use.
await seedBig(options, null);
const grid = await startGrid(options.dataDir, ['--no-worker']);
try {
  say(`load average before: ${loadavg()[0]?.toFixed(2)}; ${READERS} readers`);
  row('page', 'first', 'p50', 'p95', 'sent', 'own p50', 'own p95', '');
  for (const [name, path] of PAGES) {
    const { first, p50Ms, p95Ms } = await readConcurrently(`${grid.url}${path}`, SHARED);
    const alone = await readConcurrently(`${grid.url}${path}`, OWN);
    const reached = p50Ms < GOALS.p50Ms && p95Ms < GOALS.p95Ms;
    row(
      name,
      ...[ms(first.ms), ms(p50Ms), ms(p95Ms), kilobytes(first.bytes)],
      ...[ms(alone.p50Ms), ms(alone.p95Ms), verdict(reached)],
    );
  }
  say(`goals: p50 under ${GOALS.p50Ms} ms, p95 under ${GOALS.p95Ms} ms`);
  say('own: rendered for each reader, as for those who are logged in\n');
  await measureInBrowser(grid.url);
} finally {
  await grid.stop();
}
