import { DTYPES, type Dtype } from '../dtype';
import { gpuKernel, tunable, type ValuesOf } from '../kernel';
import { ceilDiv } from '../numbers';
import {
  emitFewCols,
  type FewColsLayout,
  fewColsBytes,
  fewColsEntryPoint,
  sumsPerThread,
} from './few-cols-emitter';
import { addPasses, partBytes } from './tile-memory';

const TUNABLES = [
  tunable('COLS', 'Columns of C per thread; best if C has as many', [1, 2, 3, 4, 5, 6, 7, 8], 1),
  tunable('ROWS', 'Rows of C per thread', [1, 2, 4, 8], 4),
  tunable('LANES', 'Threads per workgroup, side by side along K', [32, 64, 128, 256], 64),
  tunable('UNROLL', 'vec4s of each row that are in flight at once', [1, 2, 4, 8], 2),
  tunable(
    'SPLIT',
    'Parts of K, each summed by its own workgroups; 1: no second pass',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
    1,
  ),
  tunable(
    'REDUCE',
    "How the threads' sums are added: by subgroup operations or through workgroup memory",
    ['workgroup', 'subgroup'],
    'workgroup',
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/** Sums are f32 even for f16acc16: where memory is the bound they cost nothing. */
const layoutOf = (values: Values, dtype: Dtype = 'f32'): FewColsLayout => ({
  cols: values.COLS,
  rows: values.ROWS,
  lanes: values.LANES,
  unroll: values.UNROLL,
  split: values.SPLIT,
  reduce: values.REDUCE,
  sums: DTYPES[dtype].isInteger ? 'i32' : 'f32',
});

/** For a C of few columns: a matrix times a vector. A is read once, row by row. */
export const fewCols = gpuKernel({
  id: 'matmul/few-cols',
  op: 'matmul',
  rung: 12,
  idea: 'A workgroup sums along rows of A, several at once, and adds up across its threads',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'ROWS x COLS must be at most 32: more sums would not fit in registers',
      holds: (values) => sumsPerThread(layoutOf(values)) <= 32,
    },
    {
      reason: '(ROWS + COLS) x UNROLL must be at most 32: more loads would not fit in registers',
      holds: ({ ROWS, COLS, UNROLL }) => (ROWS + COLS) * UNROLL <= 32,
    },
  ],
  wgsl: (values, dtype) => emitFewCols(layoutOf(values, dtype)),
  entryPoint: ({ COLS }, problem) => fewColsEntryPoint(COLS, problem.shape),
  needs: (values) => ({
    workgroupSize: [values.LANES, 1, 1],
    workgroupBytes: fewColsBytes(layoutOf(values)),
    features: values.REDUCE === 'subgroup' ? ['subgroups'] : [],
  }),
  workgroups: ({ ROWS, COLS, SPLIT }, { shape: { m, n } }) => [
    ceilDiv(m, ROWS),
    ceilDiv(n, COLS),
    SPLIT,
  ],
  followUps: (values, problem) => addPasses(values.SPLIT, problem.shape),
  scratchBytes: (values, problem) => partBytes(values.SPLIT, problem.shape),
});
