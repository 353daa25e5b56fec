import { caseOf, type Suite, square, sweepOf } from './suite';

/** Small enough for a software GPU on two cores to finish within a minute. */
const MATMUL = [square(128)];
const TRANSPOSE = [{ rows: 384, cols: 512 }];

export const starter: Suite<never> = {
  id: 'starter',
  version: 1,
  title: 'Starter',
  about: 'Both ladders at small shapes, on the GPU and on the host, in under a minute a device',
  params: [],
  spec: () =>
    sweepOf([
      caseOf('matmul/naive', { MAPPING: ['col-x', 'row-x'] }, MATMUL),
      caseOf('matmul/tiled', { TILE: [8, 16] }, MATMUL),
      caseOf('matmul/tiled-wpt', {}, MATMUL),
      caseOf('matmul/register-tile', {}, MATMUL),
      caseOf('transpose/copy', {}, TRANSPOSE),
      caseOf('transpose/naive', { DIRECTION: ['read-coalesced', 'write-coalesced'] }, TRANSPOSE),
      caseOf('transpose/tiled', {}, TRANSPOSE),
      caseOf('transpose/padded', {}, TRANSPOSE),
      caseOf('transpose/vec4', {}, TRANSPOSE),
      caseOf('matmul/cpu-naive', {}, MATMUL),
      caseOf('matmul/cpu-parallel', {}, MATMUL),
      caseOf('transpose/cpu-naive', {}, TRANSPOSE),
      caseOf('transpose/cpu-parallel', {}, TRANSPOSE),
    ]),
};
