import { matmul } from './matmul/op';
import type { Op } from './op';
import type { OpId, Problem } from './problem';
import { transpose } from './transpose/op';

export const OPS: readonly Op[] = [matmul, transpose];

export function opById(id: OpId): Op {
  return id === 'matmul' ? matmul : transpose;
}

/** The op of a problem. */
export function opOf(problem: Problem): Op {
  return opById(problem.op);
}
