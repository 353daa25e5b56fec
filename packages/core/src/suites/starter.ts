import { type Suite, square } from './suite';

/** Small enough for a software GPU on two cores to finish within a minute. */
const MATMUL = [square(128)];
const TRANSPOSE = [{ rows: 384, cols: 512 }];

const matmul = (kernel: string, tunables: Record<string, (number | string)[]> = {}) => ({
  kernel: `matmul/${kernel}`,
  tunables,
  shapes: MATMUL,
  dtypes: ['f32' as const],
});
const transpose = (kernel: string, tunables: Record<string, (number | string)[]> = {}) => ({
  kernel: `transpose/${kernel}`,
  tunables,
  shapes: TRANSPOSE,
  dtypes: ['f32' as const],
});

export const starter: Suite<never> = {
  id: 'starter',
  version: 1,
  title: 'Starter',
  about: 'Both ladders at small shapes, on the GPU and on the host, in under a minute a device',
  params: [],
  spec: () => ({
    cases: [
      matmul('naive', { BLOCK: [16], MAPPING: ['col-x', 'row-x'] }),
      matmul('tiled', { TILE: [8, 16] }),
      transpose('copy'),
      transpose('naive', { DIRECTION: ['read-coalesced', 'write-coalesced'] }),
      transpose('tiled'),
      transpose('padded'),
      matmul('cpu-naive'),
      transpose('cpu-naive'),
    ],
    profiles: ['default'],
    policy: 'default',
  }),
};
