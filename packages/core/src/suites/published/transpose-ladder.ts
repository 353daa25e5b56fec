import type { Problem, TunableValues } from '@tilemark/kernels';
import { type PublishedResult, type PublishedTable, UNKNOWN_HARDWARE } from './table';

const problem: Problem = { op: 'transpose', shape: { rows: 3072, cols: 4096 }, dtype: 'f32' };

const BYTES = 'the source prints GB/s for 16 bytes per element; an f32 transpose moves 8';

function device(
  label: string,
  kernel: string,
  tunables: TunableValues,
  timeMs: number,
  note: string,
): PublishedResult {
  return { label, runtime: 'cuda', variant: { kernel, tunables }, problem, timeMs, note };
}

/** The source times the host again beside each kernel. */
function hostBeside(kernel: string, timeMs: number): PublishedResult {
  const variant = { kernel: 'transpose/cpu-naive', tunables: {} };
  return { label: `host, beside ${kernel}`, runtime: 'cpu', variant, problem, timeMs };
}

export const publishedTransposeLadder: PublishedTable = {
  source: {
    id: 'notebook-transpose',
    title: 'Transpose: naive, shared memory, padded shared memory (course notebook)',
    language: 'ko',
  },
  hardware: UNKNOWN_HARDWARE,
  results: [
    device(
      'naive',
      'transpose/naive',
      { BLOCK: 16 },
      0.172,
      `${BYTES}; the printed rate of this row implies a different matrix size from the one the source states`,
    ),
    device('shared memory', 'transpose/tiled', { TILE: 16 }, 0.341, BYTES),
    device('no bank conflict', 'transpose/padded', { TILE: 16 }, 0.27, BYTES),
    hostBeside('naive', 21.915),
    hostBeside('shared memory', 346.841),
    hostBeside('no bank conflict', 318.297),
  ],
};
