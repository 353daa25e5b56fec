import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type AptRequest, aptAllowed, aptCommand, aptInstall, onPath } from './apt';

const REDIS: AptRequest = { packages: ['redis-server'] };
const BROWSER: AptRequest = { packages: ['chromium'] };
const FIREFOX: AptRequest = { packages: ['firefox-esr'] };
/** Mesa's software Vulkan. The version in Debian 12 is too old for Dawn; the one in its backports is not. */
const VULKAN: AptRequest = {
  packages: ['mesa-vulkan-drivers', 'libvulkan1'],
  backportsOnDebian12: true,
};

/** Each installs one thing: null once it is there, else a line that says what to do. */
type Bring = () => Promise<string | null>;

export const bringRedis: Bring = async () =>
  (await redisIsHere()) ? null : bring('A Redis server', REDIS, redisIsHere);

export const bringBrowser: Bring = async () =>
  (await browserIsHere()) ? null : bring('Chromium', BROWSER, browserIsHere);

/** For the tests of its engine. */
export const bringFirefox: Bring = async () =>
  (await firefoxIsHere()) ? null : bring('Firefox', FIREFOX, firefoxIsHere);

/** A Vulkan driver that Dawn accepts; systems other than Linux have their own GPU API. */
export const bringVulkan: Bring = async () =>
  process.platform !== 'linux' || (await adapterIsHere())
    ? null
    : bring('A GPU driver (no adapter was found; this is the software one)', VULKAN, adapterIsHere);

async function bring(
  what: string,
  request: AptRequest,
  isHere: () => Promise<boolean>,
): Promise<string | null> {
  const advice = `${what} is missing. Install it: ${await aptCommand(request)}`;
  if (!aptAllowed()) return advice;
  console.log(`  ${what} is missing; installing ${request.packages.join(', ')} ...`);
  try {
    await aptInstall(request);
  } catch (error) {
    return `${(error as Error).message}\n${advice}`;
  }
  return (await isHere()) ? null : `${what} is still missing after its installation.`;
}

const redisIsHere = async () => (await onPath('redis-server')) || (await onPath('valkey-server'));
const browserIsHere = async () => existsSync('/usr/bin/chromium');
const firefoxIsHere = async () => existsSync('/usr/bin/firefox-esr');

/** Checked in a new process: this one would not see a driver installed since it started. */
async function adapterIsHere(): Promise<boolean> {
  const script = fileURLToPath(new URL('./adapter.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return stdout.trim() !== '';
}
