import { combinations, valuesTable } from '../combinations';
import { gpuKernel, tunable } from '../kernel';
import { emitStrip, stripBytes } from './11-few-rows';
import { rowsPerThread } from './candidates';
import { gridOverC } from './grid';
import { tileEntryPoint } from './tile-emitter';
import { sumsOf } from './tile-memory';

const TUNABLES = [
  tunable('ROWS', 'Rows of C per thread', [1, 2, 3, 4, 6, 8, 12, 16], 1),
  tunable('LANES', 'Threads across a row of C, four columns each', [2, 4, 8, 16], 4),
  tunable('DEEP', 'Threads that share a sum along K', [16, 32, 64, 128, 256, 512], 64),
  tunable('UNROLL', 'Steps of four along K whose loads are in flight at once', [1, 2, 4], 1),
  tunable('SUBGROUP', 'Threads of a subgroup, as the device has them', [4, 8, 16, 32, 64], 32),
] as const;

/**
 * Rung 11 without its second dispatch, which costs more than moving a few megabytes: instead of
 * sharing K among workgroups, up to 1024 threads of one share it.
 */
export const fewRowsShuffled = gpuKernel({
  id: 'matmul/few-rows-shuffled',
  op: 'matmul',
  rung: 13,
  changes: 'matmul/few-rows',
  idea: 'A strip of C per thread in one dispatch: a workgroup shares all of K and adds up by shuffles',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'LANES × DEEP must be from 64 to 1024 threads',
      holds: ({ LANES, DEEP }) => LANES * DEEP >= 64 && LANES * DEEP <= 1024,
    },
    {
      reason: 'LANES must be less than SUBGROUP, whose other threads add up',
      holds: ({ LANES, SUBGROUP }) => LANES < SUBGROUP,
    },
    {
      reason: 'ROWS × UNROLL must be at most 16: more loads would not fit in registers',
      holds: ({ ROWS, UNROLL }) => ROWS * UNROLL <= 16,
    },
    {
      reason: 'ROWS x threads must be at most 4096: more sums would not fit in registers',
      holds: ({ ROWS, LANES, DEEP }) => ROWS * LANES * DEEP <= 4096,
    },
  ],
  wgsl: (values, dtype, { batched }) =>
    emitStrip({ ...ofStrip(values), sums: sumsOf(dtype), batched }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => ({
    workgroupSize: [values.LANES * values.DEEP, 1, 1],
    workgroupBytes: stripBytes(ofStrip(values)),
    features: ['subgroups'],
    subgroupSize: values.SUBGROUP,
  }),
  threadsPerSum: ({ DEEP }) => DEEP,
  workgroups: ({ ROWS, LANES }, { shape }) => gridOverC(shape, ROWS, 4 * LANES),
  candidates: ({ shape: { m, k } }) => {
    if (m > 8 || k < 64) return [];
    const subgroups = combinations({ ROWS: [rowsPerThread(m)], SUBGROUP: [8, 16, 32, 64] });
    return STRIPS.flatMap((strip) => subgroups.map((rest) => ({ ...strip, ...rest })));
  },
});

const STRIPS = valuesTable(
  ['LANES', 'DEEP', 'UNROLL'],
  [
    [2, 64, 1],
    [2, 128, 1],
    [2, 256, 1],
    [4, 32, 2],
    [4, 64, 1],
    [4, 64, 2],
    [4, 128, 1],
    [4, 128, 2],
    [4, 256, 1],
    [8, 32, 1],
    [8, 32, 2],
    [8, 64, 1],
    [8, 64, 2],
    [8, 128, 1],
    [16, 32, 1],
    [16, 64, 1],
  ],
);

/** The values of rung 11 that make this one. */
function ofStrip<Values extends { readonly SUBGROUP: number }>(values: Values) {
  return { ...values, DOWN: 1, SPLIT: 1, subgroup: values.SUBGROUP };
}
