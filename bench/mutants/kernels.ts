import { MATMUL } from './matmul';
import type { Mutant } from './mutant';
import { TRANSPOSE } from './transpose';

export const MUTANTS: readonly Mutant[] = [...MATMUL, ...TRANSPOSE];
