import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { kernelTemplate } from '../packages/core/src/contributed/template';
import { emptyDataFolder, type Grid, startGrid } from '../tests/grid';
import { childEnvironment } from './environment';
import { holdsWithin } from './until';

/**
 * `npm run screenshots`: takes the picture in docs/your-kernel.md of the comment that the GitHub
 * Action makes. A grid is started, the action's own script checks a kernel of another project against
 * the template on it, and the table that it prints is drawn as GitHub draws it.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'tilemark-screenshots-'));
const data = await emptyDataFolder();
let grid: Grid | null = null;
try {
  grid = await startGrid(data.dataDir);
  const table = await checked(grid);
  process.stdout.write(table);
  await takePicture(table, join(root, 'docs', 'screenshots', 'check-kernel.png'));
} finally {
  await grid?.stop('SIGINT');
  await data.remove();
  await rm(folder, { recursive: true, force: true });
}

/** What the action's script prints of a kernel and its baseline. */
async function checked({ adminToken, url }: Grid): Promise<string> {
  await holdsWithin(60_000, async () => {
    const workers = await (await fetch(`${url}/api/v1/workers`)).text();
    return workers.includes('"class":"software"') || workers.includes('"class":"gpu"');
  });
  await copyFile(join(root, 'examples/kernels/webgpu-blas.wgsl'), join(folder, 'kernel.wgsl'));
  await writeFile(join(folder, 'main.wgsl'), kernelTemplate('my-matmul'));
  const env = childEnvironment({
    ...{ KERNEL: 'kernel.wgsl', BASELINE: 'main.wgsl' },
    ...{ SERVER: url, TOKEN: adminToken, SHAPES: '256,512', DEVICES: 'all', TOLERANCE: '0.02' },
    TILEMARK: `${process.execPath} ${join(root, 'apps/worker/bin/tilemark.mjs')}`,
  });
  const script = join(root, '.github/actions/check-kernel/check.sh');
  return new Promise((resolve, reject) => {
    execFile('bash', [script], { cwd: folder, env }, (error, stdout, stderr) =>
      stdout.startsWith('|') ? resolve(stdout) : reject(error ?? new Error(stderr)),
    );
  });
}

/** Draws a Markdown table as a comment of a pull request. */
async function takePicture(table: string, path: string): Promise<void> {
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .filter(([first = '']) => !/^ *:?-+:? *$/.test(first));
  const cell = (text: string, tag: string) => {
    const escaped = text
      .trim()
      .replaceAll('\\|', '|')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;');
    return `<${tag}>${escaped.replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')}</${tag}>`;
  };
  const html = rows.map(
    (row, i) => `<tr>${row.map((text) => cell(text, i === 0 ? 'th' : 'td')).join('')}</tr>`,
  );
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
  const page = await browser.newPage({
    deviceScaleFactor: 2,
    viewport: { width: 1000, height: 400 },
  });
  await page.setContent(`<style>
    body { margin: 0; padding: 16px; font: 14px/1.5 system-ui, sans-serif; color: #1f2328; }
    article { border: 1px solid #d1d9e0; border-radius: 6px; width: fit-content; }
    header { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; color: #59636e; border-radius: 6px 6px 0 0; }
    table { border-collapse: collapse; margin: 16px; white-space: nowrap; } th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left; }
    tr:nth-child(odd):not(:first-child) { background: #f6f8fa; }
    </style><article><header><strong>github-actions</strong> commented</header><table>${html.join('')}</table></article>`);
  await page.locator('article').screenshot({ path });
  await browser.close();
}
