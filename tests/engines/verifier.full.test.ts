import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DTYPES, idsOf } from '@tilemark/kernels';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { create } from 'webgpu';
import { openFirefox, pageWith, runInDeno } from './runtimes';
import { type Verified, verifyEverything } from './verify';

/** The program of verify.ts, which gives its answer to `tell`. */
async function program(tell: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { verifyEverything, verifyKernels } from './verify';\n${tell}`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    loader: { '.wgsl': 'text' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

let dawn: readonly Verified[];
beforeAll(async () => {
  const gpu = create([]);
  dawn = await verifyEverything(gpu, 'tint');
});

/** All right, all told apart from what was never written, and as far from the reference as under Dawn. */
function expectSame(verified: readonly Verified[]) {
  expect(verified.map(({ problem }) => problem)).toEqual(dawn.map(({ problem }) => problem));
  for (const [at, { fault, problem, rms, unwritten }] of verified.entries()) {
    expect([problem, fault]).toEqual([problem, null]);
    expect(unwritten, problem).toBeGreaterThan(0);
    expect(rms, problem).toBeCloseTo(dawn[at]?.rms ?? Number.NaN, 1);
  }
}

it('every dtype is verified under Dawn', () => {
  for (const dtype of idsOf(DTYPES)) {
    expect(dawn.map(({ problem }) => problem)).toContain(`matmul ${dtype}`);
  }
  expectSame(dawn);
});

/** What a function of verify.ts says under Deno. */
async function saidInDeno(verify: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-deno-'));
  try {
    const path = join(folder, 'verify.mjs');
    const said = `JSON.stringify(await ${verify}(navigator.gpu, "naga"))`;
    await writeFile(path, await program(`console.log(${said});`));
    return JSON.parse(await runInDeno(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

it('and under Deno', async () => {
  expectSame(await saidInDeno('verifyEverything'));
});

it('kernels are right as they are written for naga, under Deno', async () => {
  const faults: Record<string, string | null> = await saidInDeno('verifyKernels');
  expect(Object.keys(faults)).toContain('matmul/tiled-wpt');
  expect(Object.entries(faults).filter(([, fault]) => fault !== null)).toEqual([]);
});

it('and in Firefox', async () => {
  const browser = await openFirefox();
  try {
    const module = await program('window.verified = verifyEverything(navigator.gpu, "naga");');
    const { close, page } = await pageWith(browser, module);
    expectSame((await page.evaluate('window.verified')) as Verified[]);
    await close();
  } finally {
    await browser.close();
  }
});
