import { expect, test } from 'vitest';
import type { DeviceIdentity } from './device';
import { deviceKey, hardwareKey, identityFrom, isOn, unnamedReason } from './hardware';

const info = { vendor: '', architecture: '', device: '', description: '' };
const cpu = { model: 'Example CPU', cores: 2 };
const LLVMPIPE = 'llvmpipe (LLVM 15.0.6, 256 bits)';

const dawn = identityFrom({
  info: { ...info, vendor: 'mesa', architecture: 'software', device: 'llvmpipe-llvm-15' },
  ...{ name: LLVMPIPE, backend: 'vulkan', runtime: 'dawn', cpu },
});
const deno = identityFrom({
  info: { ...info, vendor: '65541', device: '0', description: LLVMPIPE },
  ...{ backend: 'webgpu', runtime: 'deno', cpu },
});
const firefox = (name: string) =>
  identityFrom({ info, name, backend: 'webgpu', runtime: 'firefox', isBrowser: true });

test('one card has one name under Dawn, wgpu, and a browser that tells nothing', () => {
  expect(deno).toMatchObject({ vendor: 'mesa', class: 'software', device: dawn.device });
  expect(firefox(dawn.device)).toMatchObject({ vendor: 'mesa', architecture: 'software' });
  const keys = [dawn, deno, firefox(dawn.device)].map(hardwareKey);
  expect(new Set(keys)).toEqual(
    new Set(['mesa-llvmpipe_llvm_15_0_6_256_bits_on_example_cpu_2_cores']),
  );
  expect(new Set([dawn, deno, firefox(dawn.device)].map(deviceKey)).size).toBe(3);
});

test.each([
  ['4318', 'NVIDIA H200', 'nvidia-nvidia_h200'],
  ['4098', 'AMD Radeon RX 7900 XTX', 'amd-amd_radeon_rx_7900_xtx'],
  ['32902', 'Intel(R) Arc(TM) A770', 'intel-intel_r_arc_tm_a770'],
  ['0', 'Apple M3 Pro', 'apple-apple_m3_pro'],
])('vendor %s of %s', (vendor, description, key) => {
  const told = { ...info, vendor, device: '9013', description };
  const byNumber = identityFrom({ info: told, backend: 'webgpu', runtime: 'deno', cpu });
  expect(hardwareKey(byNumber)).toBe(key);
  expect(hardwareKey(firefox(description))).toBe(key);
});

test.each([
  ['H200', 'NVIDIA H200'],
  ['RTX 4090', 'NVIDIA RTX 4090'],
  ['GeForce RTX 4090', 'NVIDIA GeForce RTX 4090'],
  ['Radeon RX 7900 XTX', 'AMD Radeon RX 7900 XTX'],
])('%s is %s', (bare, whole) => {
  expect(deviceKey(firefox(bare))).toBe(deviceKey(firefox(whole)));
});

test('a name without a number is told apart by the architecture', () => {
  const named = (architecture: string): DeviceIdentity => ({
    ...{ vendor: 'amd', architecture, device: 'AMD Radeon Graphics' },
    ...{ backend: 'vulkan', runtime: 'dawn', class: 'gpu' },
  });
  expect(hardwareKey(named('gcn-5'))).not.toBe(hardwareKey(named('rdna-3')));
});

test('a card that nobody names is not ranked', () => {
  expect(unnamedReason(firefox(''))).toContain('does not name its graphics card');
  expect(unnamedReason(firefox('NVIDIA GeForce RTX 4090'))).toBeNull();
});

test('evidence counts for its model under the same engine', () => {
  const h200 = identityFrom({
    info: { ...info, vendor: 'nvidia' },
    ...{ name: 'NVIDIA H200', backend: 'vulkan', runtime: 'dawn' },
  });
  expect(isOn(h200, { key: 'nvidia-nvidia_h200-webgpu-chrome' })).toBe(true);
  expect(isOn(h200, { key: 'nvidia-nvidia_h200-webgpu-deno' })).toBe(false);
  expect(isOn(h200, { key: 'nvidia-nvidia_h100-vulkan-dawn' })).toBe(false);
});
