import type { MatmulShape, TunableValue } from '@tilemark/kernels';
import {
  publishedBlockSize,
  publishedHostVsDevice,
  publishedLayouts,
} from '../published/shared-memory-layouts';
import type { SweepCase } from '../spec';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

/** The four ways to keep the tiles of A and B: RR, RC, CR and CC. */
const LAYOUTS = { A_LAYOUT: ['row', 'col'], B_LAYOUT: ['row', 'col'] };

/**
 * Basic, RR, RC, CR and CC at some block sizes. With x along rows, tiles stored
 * by row suffer the bank conflicts that the published report is about.
 */
const fiveKernels = (blocks: TunableValue[], shapes: MatmulShape[]): SweepCase[] => [
  caseOf('matmul/naive', { BLOCK: blocks, MAPPING: ['row-x'] }, shapes),
  caseOf('matmul/tiled', { TILE: blocks, ...LAYOUTS, MAPPING: ['row-x'] }, shapes),
];

export const layouts: Suite<'n'> = {
  id: 'layouts',
  version: 1,
  title: 'Shared-memory layouts',
  about: 'Naive against a 16 x 16 tile with A and B stored by row or by column (RR, RC, CR, CC)',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 }, software: { n: 128 } },
  published: publishedLayouts,
  spec: ({ n }) => sweepOf(fiveKernels([16], [square(n)])),
};

export const blockSize: Suite<'n'> = {
  id: 'block-size',
  version: 1,
  title: 'Block size',
  about: 'The five kernels of the layouts suite with blocks of 4, 8, 16 and 32 threads a side',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 } },
  published: publishedBlockSize,
  spec: ({ n }) => sweepOf(fiveKernels([4, 8, 16, 32], [square(n)])),
};

/** The reports' end product: CC, its bounds asked with one comparison less. */
const FINAL = {
  TILE: [16],
  A_LAYOUT: ['col'],
  B_LAYOUT: ['col'],
  MAPPING: ['row-x'],
  BOUNDS: ['or'],
};

export const hostVsDevice: Suite<'n'> = {
  id: 'host-vs-device',
  version: 2,
  title: 'Host against device',
  about: 'How far each rung of the lab leaves the host behind, with the transfer times beside it',
  params: [{ ...edge(2048), max: 8192 }],
  standing: { gpu: { n: 1024 }, cpu: { n: 512 } },
  published: publishedHostVsDevice,
  spec: ({ n }) =>
    sweepOf([
      caseOf('matmul/cpu-naive', {}, [square(n)]),
      caseOf('matmul/cpu-parallel', {}, [square(n)]),
      ...fiveKernels([16], [square(n)]),
      caseOf('matmul/tiled', FINAL, [square(n)]),
    ]),
};
