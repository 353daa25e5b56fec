import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

/** Runtimes beside Node's Dawn, for tests: Deno of npm, and the Firefox and Chromium of Debian. */

/** The Deno that npm installed; its package's own program would have to be set up first. */
export const DENO = createRequire(import.meta.url).resolve(
  `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}/deno`,
);
const FIREFOX = '/usr/bin/firefox-esr';

/** How Deno runs a program of ours, with its own WebGPU. */
export const RUN = ['run', '--quiet', '--no-lock', '--allow-all', '--unstable-webgpu'] as const;

/** Runs a module under Deno, which sees WebGPU. Throws Error with what it said. */
export async function runInDeno(
  path: string,
  args: readonly string[] = [],
  env = process.env,
): Promise<string> {
  const { stdout } = await promisify(execFile)(DENO, [...RUN, path, ...args], {
    env: { ...env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** With it, a runtime opens the software device that Chromium brings along: SwiftShader. */
export const SWIFTSHADER = { VK_DRIVER_FILES: '/usr/lib/chromium/vk_swiftshader_icd.json' };

/** Opens Firefox, whose WebGPU is behind preferences on Linux. */
export const openFirefox = (env: Readonly<Record<string, string>> = {}): Promise<Browser> =>
  puppeteer.launch({
    env: { ...process.env, ...env },
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    // It looks for what the GPU has ended every 100 ms.
    protocolTimeout: 600_000,
    extraPrefsFirefox: {
      'dom.webgpu.enabled': true,
      'dom.webgpu.allow-in-parent': true,
      'gfx.webgpu.ignore-blocklist': true,
      'gfx.webgpu.force-enabled': true,
    },
  });

/** Opens Chromium on its software device: on llvmpipe (Mesa 25.0.7) its GPU process ends by itself. */
export const openChromium = (): Promise<Browser> =>
  puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    protocolTimeout: 600_000,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
    ],
  });

/** An empty page of a secure context that runs a module, and what takes it down again. */
export async function pageWith(
  browser: Browser,
  module: string,
): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> {
  const server = createServer(({ url }, response) => {
    const isModule = url === '/module.js';
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(
      isModule ? module : '<!doctype html><script type="module" src="/module.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    close: async () => {
      await page.close();
      server.close();
    },
  };
}
