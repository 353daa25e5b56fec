import {
  type DeviceCapabilities,
  type DeviceIdentity,
  engineOf,
  identityFrom,
  type OpenDevice,
  type Profile,
  requestWholeDevice,
} from '@tilemark/core';
import { createGpuExecutor } from '@tilemark/kernels';

/** The GPU of a browser as a device: in its own class, and under the name that the browser gives it. */

/** What a Web Worker that owns the device is told by its name. */
export interface OwnersTask {
  readonly profile: Profile;
  /** Of Tilemark. */
  readonly version: string;
  /** What the visitor calls the graphics card; empty: nothing. */
  readonly card: string;
}

/** Why there is no device, in words, and what to do. */
class NoGpu extends Error {
  override readonly name = 'NoGpu';
}

export interface BrowserGpu {
  readonly adapter: GPUAdapter;
  readonly identity: DeviceIdentity;
}

/**
 * Throws NoGpu.
 *
 * @param card what the visitor calls the graphics card; empty: what the browser does
 */
export async function findGpu(card = ''): Promise<BrowserGpu> {
  if (!('gpu' in navigator)) throw new NoGpu(whyNoWebGpu());
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) {
    throw new NoGpu(
      `The browser offers no GPU: it may be blocked, or its driver too old. Update the driver, turn on hardware acceleration in the browser’s settings, and look at ${isFirefox() ? 'about:support; a blocked driver is let in by gfx.webgpu.ignore-blocklist in about:config' : 'chrome://gpu'}.`,
    );
  }
  return { adapter, identity: identityOf(adapter, card) };
}

/** The device as the visitor names it, or else as the browser does. */
export const identityOf = ({ info }: GPUAdapter, card: string): DeviceIdentity =>
  identityFrom({ info, name: card, backend: 'webgpu', runtime: browser().name, isBrowser: true });

const isFirefox = () => browser().name === 'firefox';

function whyNoWebGpu(): string {
  if (!isSecureContext) {
    return 'Browsers offer WebGPU only to pages served over https or from this machine. Open this page over https.';
  }
  return isFirefox()
    ? 'This Firefox has its WebGPU switched off, as it is on Linux: open about:config, set dom.webgpu.enabled to true, and load this page again.'
    : 'This browser has no WebGPU. Use a current Chrome, Edge, Safari or Firefox.';
}

/** Opens it in the Web Worker that owns it. Throws NoGpu. */
export async function openBrowserGpu({ card, profile, version }: OwnersTask): Promise<OpenDevice> {
  if (profile !== 'default') {
    throw new NoGpu(
      `Browsers keep their safety checks on, so profile ${profile} is not available in one.`,
    );
  }
  const { adapter, identity } = await findGpu(card);
  const engine = engineOf(identity.runtime) ?? 'tint';
  const { device, capabilities } = await requestWholeDevice(adapter, navigator.gpu);
  return {
    identity,
    capabilities,
    lastLevelCacheBytes: null,
    executor: await createGpuExecutor(device, {
      ...{ engine, isQuantised: true },
      isAskedRarely: isFirefox(),
    }),
    environment: environmentOf({ adapter, identity, capabilities, profile, version }),
  };
}

function environmentOf({
  adapter,
  version,
  ...device
}: Omit<OwnersTask, 'card'> & {
  readonly adapter: GPUAdapter;
  readonly identity: DeviceIdentity;
  readonly capabilities: DeviceCapabilities;
}) {
  const { identity, capabilities, profile } = device;
  const memoryGib: unknown = Reflect.get(navigator, 'deviceMemory');
  return {
    device: identity,
    capabilities,
    profile,
    driver: adapter.info.description,
    toggles: { enabled: [], disabled: [] },
    runtimeVersions: { [identity.runtime]: browser().version },
    os: /\(([^)]+)\)/.exec(navigator.userAgent)?.[1] ?? 'unknown',
    cpu: { model: 'unknown CPU', cores: navigator.hardwareConcurrency },
    memoryBytes: typeof memoryGib === 'number' ? memoryGib * 2 ** 30 : null,
    tilemarkVersion: version,
  };
}

/** In this order: each also claims to be those below it. */
const BROWSERS = [
  ['edge', /Edg\/([\d.]+)/],
  ['opera', /OPR\/([\d.]+)/],
  ['chrome', /Chrome\/([\d.]+)/],
  ['firefox', /Firefox\/([\d.]+)/],
  ['safari', /Version\/([\d.]+).*Safari/],
] as const;

function browser(): { readonly name: string; readonly version: string } {
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(navigator.userAgent)?.[1];
    if (version) return { name, version };
  }
  return { name: 'browser', version: 'unknown' };
}
