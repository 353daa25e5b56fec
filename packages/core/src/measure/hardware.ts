import type { Engine } from '@tilemark/kernels';
import { type DeviceIdentity, engineOf } from './device';

/**
 * The hardware of a device, named alike under every runtime: Dawn and Chrome tell a vendor by its word,
 * wgpu by its PCI number, Firefox not at all.
 */

/** PCI numbers of vendors, and the numbers of those that have none, by the words that Dawn has for them. */
const VENDORS: Readonly<Record<number, string>> = {
  4098: 'amd',
  4112: 'img-tec',
  4203: 'apple',
  4318: 'nvidia',
  5045: 'arm',
  5197: 'samsung',
  5140: 'microsoft',
  5348: 'broadcom',
  6880: 'google',
  20803: 'qualcomm',
  32902: 'intel',
  65541: 'mesa',
};

/** What runtimes call a vendor: its word, and its numbers as wgpu writes them. */
export const vendorNames = (word: string): string[] => [
  word,
  ...Object.keys(VENDORS).filter((id) => VENDORS[Number(id)] === word),
];

/** The vendor that a card's name tells. */
const NAMES: readonly (readonly [pattern: RegExp, vendor: string])[] = [
  [/llvmpipe/i, 'mesa'],
  [/swiftshader/i, 'google'],
  [/basic render/i, 'microsoft'],
  [/nvidia|geforce|quadro|tesla|\b[rg]tx\b|\b[abhv][12]00\b/i, 'nvidia'],
  [/\bamd\b|radeon/i, 'amd'],
  [/intel|\barc\b/i, 'intel'],
  [/apple/i, 'apple'],
  [/adreno|qualcomm/i, 'qualcomm'],
  [/mali|immortalis/i, 'arm'],
  [/powervr/i, 'img-tec'],
  [/xclipse/i, 'samsung'],
  [/videocore|v3d/i, 'broadcom'],
];

/** The name of a device whose runtime tells none, before its owner does. */
const UNNAMED = 'unnamed GPU';

/** Why results of a device are not ranked whose hardware nobody has named; null: it has a name. */
export const unnamedReason = ({ device }: Pick<DeviceIdentity, 'device'>): string | null =>
  device === UNNAMED
    ? 'the browser does not name its graphics card, nor did its owner: other cards would have the same name'
    : null;

/** What a runtime, or the owner, tells of an adapter. */
export interface Told extends Pick<DeviceIdentity, 'backend' | 'runtime'> {
  readonly info: Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'device' | 'description'> & {
    readonly isFallbackAdapter?: boolean;
  };
  /** As the driver or the owner names it; absent: as `info` does. */
  readonly name?: string | undefined;
  /** Of the machine: what a software adapter runs on, and so a part of its name; absent in a browser. */
  readonly cpu?: { readonly model: string; readonly cores: number };
  readonly isBrowser?: boolean;
}

export function identityFrom({
  backend,
  cpu,
  info,
  isBrowser,
  name,
  runtime,
}: Told): DeviceIdentity {
  const words = /^\d*$/.test(info.device) ? '' : info.device;
  const told = name || info.description || words;
  const isSoftware =
    info.isFallbackAdapter ||
    info.architecture === 'software' ||
    /swiftshader|llvmpipe|basic render|\bwarp\b/i.test(told);
  const byName = NAMES.find(([pattern]) => pattern.test(told))?.[1];
  const word = /^\d*$/.test(info.vendor) ? VENDORS[Number(info.vendor)] : info.vendor;
  const device = told || [info.vendor, info.architecture].filter(Boolean).join(' ') || UNNAMED;
  return {
    vendor: word ?? byName ?? 'unknown',
    architecture: isSoftware ? 'software' : info.architecture,
    device: (isSoftware && cpu ? `${device} on ${cpu.model} (${cpu.cores} cores)` : device).slice(
      0,
      200,
    ),
    backend,
    runtime,
    class: isBrowser ? 'browser' : isSoftware ? 'software' : 'gpu',
  };
}

/** What the keys of a card begin with under every runtime: `nvidia-nvidia_h200`, of `H200` too. */
export function hardwareKey({ architecture, device: name, vendor }: DeviceIdentity): string {
  const isBare = /^(amd|apple|intel|nvidia)$/.test(vendor) && !name.toLowerCase().includes(vendor);
  const device = isBare ? `${vendor} ${name}` : name;
  // A name without a number is of no model: AMD calls the graphics of many processors the same.
  const isModel = /\d/.test(device) || device.includes(architecture);
  return [vendor, isModel ? device : `${device} ${architecture}`].map(asKey).join('-');
}

/**
 * Stable key of a device: `vendor-device-backend-runtime`, the first two of its hardware.
 * Used in URLs and as the queue's name.
 */
export const deviceKey = (identity: DeviceIdentity): string =>
  [hardwareKey(identity), asKey(identity.backend), asKey(identity.runtime)].join('-');

/** Lower case, with every run of characters other than letters and digits written as one `_`. */
const asKey = (part: string): string =>
  part
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'unknown';

/** What the keys of the same card begin with. */
export const hardwareOfKey = (key: string): string => key.split('-').slice(0, 2).join('-');

/** The engine of the runtime that a key ends with. */
export const engineOfKey = (key: string): Engine | null =>
  engineOf(key.slice(key.lastIndexOf('-') + 1));

/** The devices to find evidence for: those like one, by its key, or the GPUs of a vendor. */
export type ModelQuery = (
  | { readonly key: string }
  | { readonly vendor: string; readonly architecture?: string | undefined }
) & {
  /** Absent: that of the key, or Tint. */
  readonly engine?: Engine | undefined;
};

/** Whether a device is of the wanted model, and its shaders are compiled by the wanted engine. */
export function isOn(device: DeviceIdentity, wanted: ModelQuery): boolean {
  const engine = engineOf(device.runtime);
  if ('key' in wanted) {
    const { key } = wanted;
    return key.startsWith(modelOf(device)) && engine === (wanted.engine ?? engineOfKey(key));
  }
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  return (
    device.class === 'gpu' &&
    engine === (wanted.engine ?? 'tint') &&
    isSame(device.vendor, wanted.vendor) &&
    (!wanted.architecture || isSame(device.architecture, wanted.architecture))
  );
}

/**
 * The prefix that keys of like devices share: for a GPU its model, whatever the machine; for a
 * software adapter, which is as fast as its host, the adapter alone.
 */
const modelOf = (device: DeviceIdentity): string =>
  `${device.class === 'software' ? asKey(device.vendor) : hardwareKey(device)}-`;
