import { OutOfBoundsWrite } from '../../errors';
import { GUARD_BYTES } from '../../verify/poison';
import { BINDING_ALIGNMENT } from '../buffers';
import guardsWgsl from './guards.wgsl?raw';
import type { Job, Question } from './results';

/** Memory between guards, with what its owner is called. */
export interface Guarded {
  readonly buffer: GPUBuffer;
  readonly contentBytes: number;
  readonly what: string;
}

/** Whether the guards on both sides of some memory are as they were made; throws OutOfBoundsWrite. */
export function guardsOf({ buffer, contentBytes, what }: Guarded, guard: number): Question<null>[] {
  const words = GUARD_BYTES / 4;
  const end = GUARD_BYTES + contentBytes;
  const offset = Math.floor(end / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;
  const behind = { buffer, offset, size: buffer.size - offset };
  const job = (part: GPUBufferBinding, region: readonly number[]): Job => ({
    source: guardsWgsl,
    read: [part],
    words: [...region, guard],
    bytes: 12,
    groups: 8,
  });
  return [
    {
      job: job({ buffer, offset: 0, size: GUARD_BYTES }, [0, words, 0, 0]),
      answer: (results) => {
        const [changed, , last = 0] = new Uint32Array(results);
        if (!changed) return null;
        const bytes = GUARD_BYTES - 4 * last;
        throw new OutOfBoundsWrite(
          `the kernel wrote before the start of ${what}: the nearest changed word is ${bytes} bytes before it`,
        );
      },
    },
    {
      job: job(behind, [
        Math.floor((end - offset) / 4),
        behind.size / 4,
        offset / 4,
        end % 4 === 0 ? 0 : 1,
      ]),
      answer: (results) => {
        const [changed, least = 0] = new Uint32Array(results);
        if (!changed) return null;
        // The least place, complemented; half of its word may belong to the content.
        const at = Math.max(4 * (~least >>> 0) - GUARD_BYTES, contentBytes);
        throw new OutOfBoundsWrite(
          `the kernel wrote past the end of ${what} of ${contentBytes} bytes: the first changed word is at byte ${at}`,
        );
      },
    },
  ];
}
