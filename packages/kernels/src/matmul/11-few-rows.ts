import { DTYPES, type Dtype } from '../dtype';
import { type Constraint, gpuKernel, tunable, type ValuesOf } from '../kernel';
import { ceilDiv } from '../numbers';
import { emitFewRows, type FewRowsLayout, fewRowsBytes, fewRowsThreads } from './few-rows-emitter';
import { tileEntryPoint } from './tile-emitter';
import { addPasses, partBytes } from './tile-memory';

const TUNABLES = [
  tunable('ROWS', 'Rows of C per thread', [1, 2, 3, 4, 6, 8, 12, 16], 1),
  tunable('LANES', 'Threads across a row of C, four columns each', [4, 8, 16, 32, 64], 16),
  tunable('DEEP', 'Threads that share a sum along K', [1, 2, 4, 8, 16, 32], 16),
  tunable('DOWN', 'Threads one below the other, each with its own rows', [1, 2, 4, 8], 1),
  tunable('UNROLL', 'Steps of four along K whose loads are in flight at once', [1, 2, 4], 2),
  tunable(
    'SPLIT',
    'Parts of K, each summed by its own workgroups; 1: no second pass',
    [1, 2, 4, 8, 16, 32, 64],
    1,
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/** Sums are f32 even for f16acc16: where memory is the bound they cost nothing. */
const layoutOf = (values: Values, dtype: Dtype = 'f32'): FewRowsLayout => ({
  rows: values.ROWS,
  lanes: values.LANES,
  deep: values.DEEP,
  down: values.DOWN,
  unroll: values.UNROLL,
  split: values.SPLIT,
  sums: DTYPES[dtype].isInteger ? 'i32' : 'f32',
});

const constraint = (
  reason: string,
  holds: (layout: FewRowsLayout) => boolean,
): Constraint<Values> => ({ reason, holds: (values) => holds(layoutOf(values)) });

/**
 * For a C of few rows (a vector times a matrix) or a short K. B is read once, straight into
 * registers, by enough threads with enough loads in flight to keep memory busy.
 */
export const fewRows = gpuKernel({
  id: 'matmul/few-rows',
  op: 'matmul',
  rung: 11,
  idea: 'A strip of C per thread, B streamed past it without workgroup memory: bound by bytes',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    constraint(
      'LANES x DEEP x DOWN must be from 32 to 512 threads',
      (layout) => fewRowsThreads(layout) >= 32 && fewRowsThreads(layout) <= 512,
    ),
    constraint(
      'ROWS x UNROLL must be at most 16: more loads would not fit in registers',
      ({ rows, unroll }) => rows * unroll <= 16,
    ),
  ],
  wgsl: (values, dtype) => emitFewRows(layoutOf(values, dtype)),
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => {
    const layout = layoutOf(values);
    return {
      workgroupSize: [fewRowsThreads(layout), 1, 1],
      workgroupBytes: fewRowsBytes(layout),
    };
  },
  workgroups: ({ ROWS, DOWN, LANES, SPLIT }, { shape: { m, n } }) => [
    ceilDiv(n, 4 * LANES),
    ceilDiv(m, ROWS * DOWN),
    SPLIT,
  ],
  followUps: (values, problem) => addPasses(values.SPLIT, problem.shape),
  scratchBytes: (values, problem) => partBytes(values.SPLIT, problem.shape),
});
