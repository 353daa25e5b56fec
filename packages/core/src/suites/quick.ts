import { caseOf, type Suite, square, sweepOf } from './suite';

/** Long enough for a GPU to show what it can, short enough for a browser's limit on one dispatch. */
const MATMUL = [square(512)];
const TRANSPOSE = [{ rows: 1024, cols: 1024 }];

export const quick: Suite<never> = {
  id: 'quick',
  version: 1,
  title: 'Quick',
  about: 'A few rungs of both ladders at middling shapes: about a minute, in a browser tab too',
  params: [],
  standing: { browser: {} },
  spec: () =>
    sweepOf([
      caseOf('matmul/naive', {}, MATMUL),
      caseOf('matmul/tiled', {}, MATMUL),
      caseOf('matmul/register-tile', {}, MATMUL),
      caseOf('transpose/naive', {}, TRANSPOSE),
      caseOf('transpose/tiled', {}, TRANSPOSE),
    ]),
};
