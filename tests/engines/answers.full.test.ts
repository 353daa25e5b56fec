import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  answerFor,
  bestFile,
  gpuOf,
  knownGpus,
  problemsOf,
  questionSchema,
  shippedOf,
} from '@tilemark/core';
import { build } from 'esbuild';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from 'webgpu';
import { type Multiplied, multiplyEverything } from './multiply';
import { openChromium, openFirefox, pageWith, runInDeno } from './runtimes';

const H200 = 'nvidia-nvidia_h200-vulkan-dawn';
const SHAPES = '1x4096x4096 24x40x64';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-answers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The module that is exported for f16 on NVIDIA under `default`. */
function exported(engine: 'tint' | 'naga'): string {
  const question = questionSchema.parse({ dtype: 'f16', shapes: SHAPES, gpu: H200, engine });
  const [gpu] = question.gpus.map((id) => gpuOf(id, knownGpus()));
  const { dtype, op, profile } = question;
  const rows = problemsOf(question).map((problem) => {
    const evidence = shippedOf(gpu!, { op, dtype, profile }, engine);
    return { gpu: gpu!, problem, ...answerFor(problem, profile, evidence) };
  });
  return bestFile('js', rows, question);
}

/** The module with what multiplies by it, which gives its answer to `tell`. */
async function program(path: string, tell: string): Promise<string> {
  const driver = fileURLToPath(new URL('./multiply.ts', import.meta.url));
  const imports = `import { multiplyEverything } from ${JSON.stringify(driver)};\nimport * as answers from ${JSON.stringify(path)};`;
  const { outputFiles } = await build({
    stdin: { contents: `${imports}\n${tell}`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

describe.each(['tint', 'naga'] as const)('the module for f16 on NVIDIA under %s', (engine) => {
  let path: string;
  beforeAll(async () => {
    path = join(folder, `${engine}.mjs`);
    const text = exported(engine);
    expect(text).not.toContain('chromium_experimental');
    await writeFile(path, text);
  });

  async function inBrowser(open: () => Promise<Browser>): Promise<Multiplied[]> {
    const browser = await open();
    try {
      const tell = 'window.multiplied = multiplyEverything(navigator.gpu, answers);';
      const { close, page } = await pageWith(browser, await program(path, tell));
      const multiplied = (await page.evaluate('window.multiplied')) as Multiplied[];
      await close();
      return multiplied;
    } finally {
      await browser.close();
    }
  }

  async function underDeno(): Promise<Multiplied[]> {
    const file = join(folder, `${engine}-deno.mjs`);
    const tell = 'console.log(JSON.stringify(await multiplyEverything(navigator.gpu, answers)));';
    await writeFile(file, await program(path, tell));
    return JSON.parse(await runInDeno(file));
  }

  it.each([
    ['Node', async () => multiplyEverything(create([]), await import(path))],
    ['Deno', underDeno],
    ['Chromium', () => inBrowser(openChromium)],
    ['Firefox', () => inBrowser(openFirefox)],
  ] as const)('multiplies right in %s', async (runtime, multiplied) => {
    const all = await multiplied();
    expect(all).toHaveLength(6);
    for (const { address, error, shape } of all) {
      expect(error, `${shape} by ${address}`).toBeLessThan(2 ** -10);
    }
    // SwiftShader has no f16, and llvmpipe not the subgroups of 32 threads that Tint's answer has.
    const isWhole = runtime === 'Chromium';
    expect(new Set(all.map(({ dtype }) => dtype))).toEqual(new Set([isWhole ? 'f32' : 'f16']));
    const decode = all[1];
    const isOfNvidia = engine === 'naga' && !isWhole;
    expect(decode?.shape).toBe('1x4096x4096');
    expect(decode?.gpus.includes(H200)).toBe(isOfNvidia);
  });
});
