import { storedOf } from './problem/ops';
import type { Problem } from './problem/problem';
import type { StoredTensor } from './problem/tensors';
import { GUARD_BYTES } from './verify/poison';

/** Buffers end on a whole vec4, so that any tensor can be bound as an array of vec4. */
const ALIGNMENT = 16;

interface BufferBytes {
  /** Of each part of each input. */
  readonly inputs: readonly number[];
  /** Includes the guards on both sides. */
  readonly output: number;
}

/** Size of each buffer that a problem binds, bytes. */
export function bufferBytes(problem: Problem): BufferBytes {
  const { inputs, output } = storedOf(problem);
  const sizes = ({ parts }: StoredTensor) => parts.map(({ bytes }) => wholeBytes(bytes));
  const [content = 0] = sizes(output);
  return { inputs: inputs.flatMap(sizes), output: guardedBytes(content) };
}

/** The largest of these, bytes. */
export function largestBuffer(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return Math.max(...inputs, output);
}

/** Bytes of whole vec4s that contain so many. */
export const wholeBytes = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Size of a buffer with this content between its guards, bytes. */
export const guardedBytes = (content: number): number => wholeBytes(content) + 2 * GUARD_BYTES;

/** Bytes as text for messages: `1.5 MiB`, `64 B`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(2)} ${units[power]}`;
}
