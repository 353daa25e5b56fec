import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Problem, resolveVariant } from '@tilemark/kernels';
import { build } from 'esbuild';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answers, type EngineTimes, faultsOf, shapeTable } from '../../bench/engine-table';
import { OtherSide } from '../../bench/other-side';
import { DENO, openChromium, openFirefox, pageWith, RUN, SWIFTSHADER } from './runtimes';

/** One software device, a column per runtime: SwiftShader, which Chromium brings along and the others open, too. */

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, where the program finds `webgpu`.
const folder = join(root, 'node_modules', '.cache', `tilemark-${randomUUID()}`);

const ASKED: readonly { problem: Problem; variants: readonly string[] }[] = [
  {
    problem: { op: 'matmul', dtype: 'f32', shape: { m: 17, n: 20, k: 36 } },
    variants: ['matmul/naive', 'matmul/register-tile'],
  },
  {
    problem: { op: 'transpose', dtype: 'f32', shape: { rows: 33, cols: 20 } },
    variants: ['transpose/naive', 'transpose/multi-row'],
  },
].map(({ problem, variants }) => ({
  problem: problem as Problem,
  variants: variants.map((id) => resolveVariant(id, {}).address),
}));

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, 'bench'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    external: ['webgpu', 'node:*'],
    loader: { '.wgsl': 'text' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Asks a runtime one question after the other. */
type Ask = (question: object) => Promise<unknown>;

const open: (() => unknown)[] = [];

function processOf(...command: readonly string[]): Ask {
  const env = Object.entries(SWIFTSHADER).map(([name, value]) => `${name}=${value}`);
  const side = new OtherSide<unknown>(command[0] ?? '', ['env', ...env, ...command]);
  open.push(() => side.close());
  return async (question) => (await side.measure(question)) ?? side.absence;
}

async function page(browser: Browser, engine: string): Promise<Ask> {
  open.push(() => browser.close());
  const { close, page } = await pageWith(
    browser,
    await bundled(`import { openSide } from './engine-times';
      window.side = openSide(navigator.gpu, '${engine}', { isBrowser: true });
      window.ask = async (question) => {
        const { ask, ...side } = await window.side;
        return 'who' in question ? side : ask(question);
      };`),
  );
  open.unshift(close);
  return (question) => page.evaluate(`window.ask(${JSON.stringify(question)})`);
}

let runtimes: Readonly<Record<string, Ask>>;
beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'engine-side.mjs');
  await writeFile(program, await bundled("import './engine-side';"));
  runtimes = {
    'Node (Dawn)': processOf(process.execPath, program),
    Chromium: await page(await openChromium(), 'tint'),
    'Deno (wgpu)': processOf(DENO, ...RUN, program),
    Firefox: await page(await openFirefox(SWIFTSHADER), 'naga'),
  };
});
afterAll(async () => {
  for (const close of open) await close();
  await rm(folder, { recursive: true, force: true });
});

it('is the same device in all four, as far as they tell', async () => {
  const told: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(runtimes)) {
    const who = (await ask({ who: true })) as { device: string; capabilities: object };
    told[name] = who.device;
    // llvmpipe has it.
    expect(JSON.stringify(who.capabilities), name).not.toContain('shader-f16');
  }
  expect(told).toEqual({
    'Node (Dawn)': expect.stringMatching(/^SwiftShader /),
    Chromium: 'google swiftshader',
    'Deno (wgpu)': expect.stringMatching(/^SwiftShader /),
    Firefox: 'unnamed',
  });
});

it('prints a table with a column for each, of outputs that are right', async () => {
  const measured: EngineTimes[] = [];
  for (const question of ASKED) {
    const times: Record<string, Answers> = {};
    for (const [name, ask] of Object.entries(runtimes)) {
      times[name] = (await ask({ ...question, withinMs: 60_000 })) as Answers;
      expect(Object.keys(times[name]), name).toEqual(question.variants);
    }
    measured.push({ problem: question.problem, times });
  }
  expect(faultsOf(measured)).toEqual([]);
  const text = shapeTable(measured);
  process.stdout.write(`${text}\n`);
  const [head = '', , ...rows] = text.split('\n');
  for (const name of Object.keys(runtimes)) expect(head).toContain(`| ${name} |`);
  expect(head).toContain('| Firefox / Node (Dawn) |');
  expect(rows).toHaveLength(ASKED.length);
  for (const row of rows) {
    expect(row.match(/ µs \| (?:naive|register-tile|multi-row)\[/g)).toHaveLength(4);
    expect(row).toMatch(/(?: \| \d+\.\d\d){3} \|$/);
  }
});
