import { EPILOGUES } from './epilogues';
import { FRAGMENTS } from './fragments';
import { MATMUL } from './matmul';
import type { Mutant } from './mutant';
import { STORAGES } from './storages';
import { TRANSPOSE } from './transpose';

export const MUTANTS: readonly Mutant[] = [
  ...MATMUL,
  ...STORAGES,
  ...FRAGMENTS,
  ...EPILOGUES,
  ...TRANSPOSE,
];
