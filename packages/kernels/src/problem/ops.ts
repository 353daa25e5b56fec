import { InputError } from '../errors';
import { matmul } from '../matmul/op';
import { transpose } from '../transpose/op';
import { idsOf } from './dtype';
import { hasBias } from './epilogue';
import { elements, type Op, type RateUnit } from './op';
import type { Problem } from './problem';
import { type StoredTensors, storedBias } from './tensors';

/** All ops. A new op is a folder and a line here. */
export const OPS = { matmul, transpose };

export type OpId = keyof typeof OPS;

/** Throws InputError at `field` if there is no such op: ids also come from user input. */
export function opById(id: OpId, field = 'op'): Op {
  if (Object.hasOwn(OPS, id)) return OPS[id];
  throw new InputError(`There is no op '${id}'. Ops: ${idsOf(OPS).join(', ')}.`, field);
}

export function opOf(problem: Problem): Op {
  return opById(problem.op);
}

/** The tensors of a problem as they lie in memory. A bias is the last of its inputs. */
export function storedOf(problem: Problem): StoredTensors {
  const { output, stored } = opOf(problem);
  const tensors = stored(problem.shape, problem.dtype);
  if (!hasBias(problem)) return tensors;
  const bias = storedBias(output(problem.shape).cols, problem.dtype);
  return { ...tensors, inputs: [...tensors.inputs, bias] };
}

/** The rate of a run of a problem that takes `ns`. */
export function rateOf(problem: Problem, ns: number): { value: number; unit: RateUnit } {
  const op = opOf(problem);
  return { value: op.rate(problem, ns), unit: op.rateUnit(problem) };
}

/** The terms of all sums of a problem. */
export function allTerms(problem: Problem): number {
  const op = opOf(problem);
  return elements(op.output(problem.shape)) * op.terms(problem.shape);
}

/** Whether a problem is several of its op's, one after the other. */
export const isBatch = (problem: Problem): boolean => opOf(problem).batch(problem.shape) > 1;

/**
 * Operations per byte moved if every input is read once and the output written once: the x axis
 * of a roofline plot. 0 for a transpose.
 */
export function arithmeticIntensity(problem: Problem): number {
  const op = opOf(problem);
  return op.flops(problem.shape) / op.bytes(problem.shape, problem.dtype);
}
