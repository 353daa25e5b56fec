import { expect, it } from 'vitest';
import { driverText } from './device';

it.each([
  ['NVIDIA: 580.159.04 580.159.4.0', 'NVIDIA 580.159.04'],
  ['llvmpipe: Mesa 25.0.7-2 (LLVM 15.0.6) 0.0.1', 'llvmpipe Mesa 25.0.7-2 (LLVM 15.0.6)'],
  ['D3D12 driver version 31.0.15.3623', 'D3D12 driver version 31.0.15.3623'],
  ['', ''],
])('the driver %s is called %s', (driver, text) => {
  expect(driverText(driver)).toBe(text);
});
