import { InputError } from '@tilemark/kernels';
import type { DeviceRef } from '../api/device';
import { deviceKey, engineOfKey, hardwareOfKey, isOn } from '../measure/hardware';
import { shippedDevices } from './shipped-evidence';

/** A GPU to ask about. */
export interface Gpu {
  /** A device key, or `vendor/architecture` as WebGPU's adapter info has them. */
  readonly id: string;
  readonly name: string;
  /** What is known of it: attached or imported here; times that ship; nothing. */
  readonly from: 'grid' | 'shipped' | 'vendor';
}

/** Those that people are asked for first; then the others that Dawn names (dawn/gpu_info.json). */
const VENDORS = {
  ...{ apple: 'Apple', intel: 'Intel', amd: 'AMD', nvidia: 'NVIDIA', qualcomm: 'Qualcomm' },
  ...{ arm: 'ARM', 'img-tec': 'Imagination', samsung: 'Samsung', broadcom: 'Broadcom' },
  ...{ google: 'Google', mesa: 'Mesa', microsoft: 'Microsoft' },
};

/** The GPUs that can be asked about: of a grid, those that ship, and vendors. */
export function knownGpus(devices: readonly DeviceRef[] = []): Gpu[] {
  const models = shippedDevices().filter(
    (identity) => !devices.some(({ key }) => isOn(identity, { key })),
  );
  const isSoftware = ({ class: kind }: DeviceRef) => kind === 'software' || kind === 'cpu';
  const here = (some: readonly DeviceRef[]) =>
    some.map(({ key, name }) => ({ id: key, name, from: 'grid' as const }));
  return [
    ...here(devices.filter((device) => !isSoftware(device))),
    ...models.map((identity) => ({
      id: deviceKey(identity),
      name: identity.device,
      from: 'shipped' as const,
    })),
    ...here(devices.filter(isSoftware)),
    ...Object.entries(VENDORS).map(([id, name]) => ({ id, name, from: 'vendor' as const })),
  ];
}

/** The GPU of an id. Throws InputError at `gpu`, with those that are known, for any other. */
export function gpuOf(id: string, known: readonly Gpu[]): Gpu {
  const wanted = id.toLowerCase();
  const gpu = known.find((one) => one.id === wanted);
  if (gpu) return gpu;
  // The same card under another runtime.
  const card = known.find((one) => hardwareOfKey(one.id) === hardwareOfKey(wanted));
  if (card && engineOfKey(wanted)) return { ...card, id: wanted };
  const [vendor = '', architecture] = wanted.split('/');
  if (vendor && known.some((one) => one.id === vendor || one.id.startsWith(`${vendor}-`))) {
    return { id: wanted, name: [vendor, architecture].filter(Boolean).join(' '), from: 'vendor' };
  }
  const ids = [...new Set(known.map((one) => one.id))].join(', ');
  throw new InputError(
    `'${id}' is no GPU that is known here: write one of ${ids}, or a vendor with an architecture, such as apple/metal-3`,
    'gpu',
  );
}
