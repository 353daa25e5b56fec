import type { Tunable } from '../kernel';

/** Which way neighbouring threads run. */
export const MAPPING: Tunable = {
  name: 'MAPPING',
  about:
    'Neighbouring threads take neighbouring columns of C (col-x, coalesced) or rows (row-x, strided)',
  values: ['col-x', 'row-x'],
  default: 'col-x',
};

/** How many tiles of each matrix a workgroup holds. */
export const BUFFERS: Tunable = {
  name: 'BUFFERS',
  about: 'Tiles of A and B held in workgroup memory: with 2 in turn a barrier is saved',
  values: [1, 2],
  default: 1,
};
