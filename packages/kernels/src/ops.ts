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

/**
 * Operations for each byte that has to move when every input is read once and the output
 * written once: the x axis of a roofline plot. 0 for a transpose.
 */
export function arithmeticIntensity(problem: Problem): number {
  const op = opOf(problem);
  return op.flops(problem.shape) / op.bytes(problem.shape, problem.dtype);
}
