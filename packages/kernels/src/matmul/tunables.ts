import type { Tunable } from '../kernel';

/** Which way neighbouring threads run. */
export const MAPPING: Tunable = {
  name: 'MAPPING',
  about:
    'Neighbouring threads take neighbouring columns of C (col-x, coalesced) or rows (row-x, strided)',
  values: ['col-x', 'row-x'],
  default: 'col-x',
};
