import { test } from 'vitest';
import { idsOf } from '../problem/dtype';
import { EPILOGUES } from '../problem/epilogue';
import { useExecutor } from './dawn.test-helper';
import { expectCaught, expectRight, FLOATS, MUTANTS } from './epilogues.test-helper';

const gpu = useExecutor();
const HALVES = ['f16', 'f16acc16'] as const;

test.each(
  idsOf(EPILOGUES).flatMap((epilogue) => HALVES.map((dtype) => [epilogue, dtype] as const)),
)('a right kernel of %s is right in %s', (epilogue, dtype) =>
  expectRight(gpu.executor, epilogue, dtype),
);

test.each(
  MUTANTS.flatMap(([what, kernel, dtypes = FLOATS]) =>
    HALVES.filter((dtype) => dtypes.includes(dtype)).map((dtype) => [what, dtype, kernel] as const),
  ),
)('%s is caught in %s', (_what, dtype, kernel) => expectCaught(gpu.executor, kernel, dtype));
