import {
  type DeviceCapabilities,
  type DeviceIdentity,
  ON_CPU,
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
}

/** Why there is no device, in words, and what to do. */
class NoGpu extends Error {
  override readonly name = 'NoGpu';
}

export interface BrowserGpu {
  readonly adapter: GPUAdapter;
  readonly identity: DeviceIdentity;
  /** The browser computes on the CPU. */
  readonly isSoftware: boolean;
}

/** Throws NoGpu. */
export async function findGpu(): Promise<BrowserGpu> {
  if (!('gpu' in navigator)) {
    throw new NoGpu(
      isSecureContext
        ? 'This browser has no WebGPU. Use a current Chrome, Edge, Safari or Firefox.'
        : 'Browsers offer WebGPU only to pages served over https or from this machine. Open this page over https.',
    );
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) {
    throw new NoGpu(
      'The browser offers no GPU: it may be blocked, or its driver too old. Update the driver, turn on hardware acceleration in the browser’s settings, and look at chrome://gpu or about:support.',
    );
  }
  const { info } = adapter;
  const isSoftware = info.isFallbackAdapter || /swiftshader|llvmpipe|warp/i.test(textOf(info));
  const named =
    info.description || info.device || `${info.vendor} ${info.architecture}`.trim() || 'GPU';
  return {
    adapter,
    isSoftware,
    identity: {
      vendor: info.vendor || 'unknown',
      architecture: info.architecture,
      device: isSoftware ? named.slice(0, 200 - ON_CPU.length) + ON_CPU : named.slice(0, 200),
      backend: 'webgpu',
      runtime: browser().name,
      class: 'browser',
    },
  };
}

const textOf = ({ vendor, architecture, device, description }: GPUAdapterInfo) =>
  [vendor, architecture, device, description].join(' ');

/** Opens it in the Web Worker that owns it. Throws NoGpu. */
export async function openBrowserGpu({ profile, version }: OwnersTask): Promise<OpenDevice> {
  if (profile !== 'default') {
    throw new NoGpu(
      `Browsers keep their safety checks on, so profile ${profile} is not available in one.`,
    );
  }
  const { adapter, identity } = await findGpu();
  const { device, capabilities } = await requestWholeDevice(adapter, navigator.gpu);
  return {
    identity,
    capabilities,
    lastLevelCacheBytes: null,
    executor: await createGpuExecutor(device, { isQuantised: true }),
    readClocks: async () => null,
    environment: environmentOf({ adapter, identity, capabilities, profile, version }),
  };
}

function environmentOf({
  adapter,
  version,
  ...device
}: OwnersTask & {
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
