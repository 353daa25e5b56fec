import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGrid } from '../../tests/grid';
import { say } from '../start/steps';
import { scriptBytes, sweepFigures, withPage } from './browser';
import { readBigOptions } from './options';
import { readConcurrently } from './readers';
import { seedBig } from './seed';

const READERS = 8;
const REQUESTS = 400;
const GOALS = { p50Ms: 50, p95Ms: 120, scriptBytes: 200_000, sweepMs: 2_000 };

const DEVICE = 'synthetic_b-generation_1-synthetic_gpu_002-vulkan-dawn';
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['leaderboard', '/'],
  ['heat map', '/?view=heatmap'],
  ['portability', '/?view=portability'],
  ['device', `/devices/${DEVICE}`],
  ['kernel', '/kernels/matmul/warp-tile'],
];

/**
 * `npm run bench:web`: how fast the site is over a synthetic grid of 200 devices and
 * 1,000,000 results, which is made on the first run. Readers, site, database and browser
 * share the machine.
 */
async function main(): Promise<void> {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const options = readBigOptions(process.argv.slice(2), root);
  // The bench owns its database: it never measures one that somebody works with.
  process.env.DATABASE_URL = '';
  await seedBig(options);
  const grid = await startGrid(options.dataDir, ['--no-worker']);
  try {
    say(`load of the machine before: ${loadavg()[0]?.toFixed(2)}; ${READERS} readers`);
    row('page', 'first', 'p50', 'p95', 'sent', '');
    for (const [name, path] of PAGES) {
      const { firstMs, p50Ms, p95Ms, compressedBytes } = await readConcurrently(
        `${grid.url}${path}`,
        { readers: READERS, requests: REQUESTS },
      );
      const reached = p50Ms < GOALS.p50Ms && p95Ms < GOALS.p95Ms;
      row(name, ms(firstMs), ms(p50Ms), ms(p95Ms), kilobytes(compressedBytes), verdict(reached));
    }
    say(`goals: p50 under ${GOALS.p50Ms} ms, p95 under ${GOALS.p95Ms} ms\n`);
    await withPage(async (page) => {
      const bytes = await scriptBytes(page, `${grid.url}/`);
      const light = verdict(bytes < GOALS.scriptBytes);
      say(`script of the leaderboard's first load: ${kilobytes(bytes)}, goal 200 kB${light}`);
      const sweep = await sweepFigures(page, `${grid.url}/sweeps/synthetic-sweep-1-0`);
      for (const [when, { drawnMs, loadMs }] of [
        ['first visit', sweep.first],
        ['again, median', sweep.again],
      ] as const) {
        const quick = verdict(loadMs < GOALS.sweepMs);
        say(
          `sweep of 5,000 runs, ${when}: loaded in ${ms(loadMs)}, goal 2 s${quick}; charts drawn after ${ms(drawnMs)}`,
        );
      }
      say(
        `scrolling it: frames p95 ${ms(sweep.p95FrameMs)}, longest ${ms(sweep.longestFrameMs)}; ${sweep.longFrames} of ${sweep.frames} over 50 ms; the next 100 runs in ${ms(sweep.pageMs)}`,
      );
    });
  } finally {
    await grid.stop();
  }
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const kilobytes = (bytes: number): string => `${(bytes / 1e3).toFixed(0)} kB`;
const verdict = (reached: boolean): string => (reached ? '' : '  MISSED');

function row(name: string, ...figures: readonly string[]): void {
  say(name.padEnd(14) + figures.map((figure) => figure.padStart(10)).join(''));
}

await main();
