import { expect, it } from 'vitest';
import { subjectHref } from './audit-table';

it.each([
  ['contributeKernel', 'ada/my-matmul@1a2b3c4d', '/kernels/ada/my-matmul@1a2b3c4d'],
  ['publishKernel', 'ada/my-matmul@1a2b3c4d', '/kernels/ada/my-matmul@1a2b3c4d'],
  ['removeKernel', 'ada/my-matmul@1a2b3c4d', null],
  ['createSweep', '01a2', '/sweeps/01a2'],
  ['createToken', '01a2', null],
] as const)('what %s was done to, %s, is at %s', (action, subject, href) => {
  expect(subjectHref(action, subject)).toBe(href);
});
