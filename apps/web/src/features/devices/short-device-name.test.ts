import { expect, it } from 'vitest';
import { shortDeviceName } from './short-device-name';

it.each([
  ['NVIDIA H200', 'NVIDIA H200'],
  ['llvmpipe (LLVM 15.0.6, 256 bits)', 'llvmpipe (LLVM 15.0.6, 256 bits)'],
  ['llvmpipe (LLVM 15.0.6, 256 bits) on AMD EPYC (2 cores)', 'llvmpipe on AMD EPYC'],
  ['(a name of nothing but brackets, and long)', '(a name of nothing but brackets, and long)'],
])('%s is %s in a table', (name, short) => {
  expect(shortDeviceName(name)).toBe(short);
});
