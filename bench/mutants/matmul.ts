import type { Mutant } from './mutant';
import { BOUNDS } from './products/bounds';
import { ELEMENTS } from './products/elements';
import { MEMORY } from './products/memory';
import { NARROW } from './products/narrow';
import { AUTHORS } from './products/others';
import { PRECISION } from './products/precision';

/** Matrix products, each wrong in one way. */
export const MATMUL: readonly Mutant[] = [
  ...ELEMENTS,
  ...PRECISION,
  ...MEMORY,
  ...BOUNDS,
  ...NARROW,
  ...AUTHORS,
];
