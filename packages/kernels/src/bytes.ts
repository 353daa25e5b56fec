import { BYTES_PER_ELEMENT } from './dtype';
import { elements, type TensorDims } from './op';
import { opOf } from './ops';
import type { Problem } from './problem';

/**
 * Bytes behind every output, inside the same binding, that no kernel may change.
 * Robust access clamps a stray index to the binding, so a stray write lands here.
 */
export const CANARY_BYTES = 64;

/** Buffers end on a whole vec4, so that any tensor can be bound as one of vec4. */
const ALIGNMENT = 16;

export interface BufferBytes {
  readonly inputs: readonly number[];
  /** With the canary. */
  readonly output: number;
}

/** Size of each buffer a problem binds, in bytes. */
export function bufferBytes(problem: Problem): BufferBytes {
  const op = opOf(problem);
  const size = (dims: TensorDims) =>
    Math.ceil((elements(dims) * BYTES_PER_ELEMENT[problem.dtype]) / ALIGNMENT) * ALIGNMENT;
  return {
    inputs: op.inputs(problem.shape).map(size),
    output: size(op.output(problem.shape)) + CANARY_BYTES,
  };
}

/** `1.5 MiB`, `64 B`: for messages. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(2)} ${units[power]}`;
}
