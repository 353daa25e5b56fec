/** The limits that a program must request of a device, and how it does with less. */
import { bytesText, largestBuffer, opOf, type Problem } from '@tilemark/kernels';
import { z } from 'zod';
import { PLAIN_WEBGPU } from '../measure/device';
import type { KernelNeeds } from './kernel';

/** By their names in WebGPU. */
export const limitsSchema = z.record(z.string(), z.number());

/** The limits that a kernel needs, with those of the buffers that it binds. */
export function limitsOf(
  { workgroupBytes, workgroupSize: [x, y, z] }: KernelNeeds,
  bindings: readonly { readonly bytes: number }[] = [],
): z.output<typeof limitsSchema> {
  const largest = Math.max(0, ...bindings.map(({ bytes }) => bytes));
  return {
    maxComputeWorkgroupStorageSize: workgroupBytes,
    maxComputeInvocationsPerWorkgroup: x * y * z,
    maxComputeWorkgroupSizeX: x,
    maxComputeWorkgroupSizeY: y,
    maxComputeWorkgroupSizeZ: z,
    maxStorageBufferBindingSize: largest,
    maxBufferSize: largest,
  };
}

/** Those beyond what every device has without asking (WebGPU, 3.6.2). */
export const limitsBeyond = (limits: z.output<typeof limitsSchema>): [string, number][] => {
  const usual: Readonly<Record<string, unknown>> = PLAIN_WEBGPU;
  return Object.entries(limits).filter(([name, value]) => value > Number(usual[name]));
};

/** A problem as parts along a side of its output, each of which fits a buffer of `bytes`. */
export const splitSchema = z.object({
  side: z.string(),
  parts: z.number().int(),
  /** Of the side, in each part; the last may have less. */
  size: z.number().int(),
  bytes: z.number(),
});
type Split = z.output<typeof splitSchema>;

/** Sides of parts are multiples of this, so that rows stay aligned. */
const STEP = 64;

/** The fewest parts for buffers of so many bytes; null: the problem fits as it is, or no split helps. */
export function splitFor(problem: Problem, bytes: number): Split | null {
  const largest = largestBuffer(problem);
  if (largest <= bytes) return null;
  const shape: Readonly<Record<string, number>> = problem.shape;
  const { output } = opOf(problem);
  const areaOf = ({ cols, rows }: { cols: number; rows: number }) => cols * rows;
  const splits = Object.entries(shape).flatMap(([side, whole]): Split[] => {
    const withSide = (size: number) => ({ ...shape, [side]: size }) as never;
    if (areaOf(output(withSide(2 * whole))) === areaOf(output(withSide(whole)))) return [];
    for (let parts = Math.ceil(largest / bytes); parts < whole / STEP; parts++) {
      const size = Math.ceil(whole / parts / STEP) * STEP;
      const part = { ...problem, shape: withSide(size) } as Problem;
      // Another side is what is too large.
      if (parts > 4 * Math.ceil(largest / bytes)) return [];
      if (largestBuffer(part) <= bytes) {
        return [{ side, parts: Math.ceil(whole / size), size, bytes }];
      }
    }
    return [];
  });
  return splits.toSorted((a, b) => a.parts - b.parts)[0] ?? null;
}

export const splitText = ({ bytes, parts, side, size }: Split): string =>
  `where a buffer has at most ${bytesText(bytes)}, run ${parts} parts of ${side} = ${size}, each with its part of the inputs and output`;
