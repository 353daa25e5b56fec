import { parseProblem, parseVariant } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { questionSchema } from '../api/question';
import { type BestRow, programOf } from './best';
import { bestFile } from './best-files';

/** A row of one variant, which nobody has timed. */
function rowOf(shape: string, dtype: 'f32' | 'f32-nt', address: string): BestRow {
  const problem = parseProblem({ op: 'matmul', shape, dtype });
  const head = { problem, profile: 'default', engine: 'tint' } as const;
  const program = programOf(parseVariant(address), problem);
  const best = { ...head, ...program, basis: 'portable', quote: null } as const;
  return { gpu: null, problem, best: { ...best, others: [], excluded: [] }, excluded: [] };
}

const entryIn = (form: 'ggml' | 'onnxruntime', shape: string, address: string) => {
  const question = questionSchema.parse({ shapes: shape });
  const text = bestFile(form, [rowOf(shape, 'f32', address)], question);
  return text.split('\n').find((line) => line.startsWith('    {') || line.includes('// blank'));
};

const EIGHTS = 'matmul/register-tile[BM=32,BN=32,BK=32,TM=4,TN=4]';
const WIDE = 'matmul/warp-tile[BM=128,BN=128,BK=16,TM=8,TN=16,SPLIT=1]';

// ggml counts a tile per thread, and m along the rows of the weights: the columns of C.
test.each([
  ['512x1024x256', WIDE, '{ "any", 1024, 512, 256, 1, 8, 16, 16, 8, 16 }'],
  ['512x1024x256', EIGHTS, '{ "any", 1024, 512, 256, 1, 8, 8, 4, 4, 32 }'],
  ['512x1024x256', 'matmul/tiled[TILE=16]', 'stores 4 rows of the weights'],
  ['511x1024x256', 'matmul/tiled[TILE=16]', '{ "any", 1024, 511, 256, 1, 16, 16, 1, 1, 16 }'],
  ['512x1024x256', WIDE.replace('SPLIT=1', 'SPLIT=2'), 'its workgroups share sums'],
  ['1x1024x256', 'matmul/few-rows', 'its threads share sums'],
  ['512x1024x256', 'matmul/naive', 'stages nothing'],
] as const)('ggml has for %s and %s: %s', (shape, address, entry) => {
  expect(entryIn('ggml', shape, address)).toContain(entry);
});

// The first is what ONNX Runtime has for every product of more than 8 rows.
test.each([
  ['512x1024x256', EIGHTS, '{ "any", 512, 1024, 256, 1, {8, 8, 1}, {4, 4, 1}, 32 }'],
  ['512x1024x256', WIDE, 'its vec4 program computes 4 columns per thread'],
  ['512x1023x256', WIDE, '{ "any", 512, 1023, 256, 1, {8, 16, 1}, {16, 8, 1}, 16 }'],
  ['512x1024x256', EIGHTS.replace('BK=32', 'BK=16').replace('BM=32', 'BM=64'), 'tile_inner must'],
] as const)('ONNX Runtime has for %s and %s: %s', (shape, address, entry) => {
  expect(entryIn('onnxruntime', shape, address)).toContain(entry);
});

test('limits are those of the buffers, and a problem that is too large says how it fits', () => {
  const row = rowOf('1x151936x4096', 'f32-nt', 'matmul/rows-of-weights');
  const bytes = 151_936 * 4096 * 4;
  const { limits, split } = row.best ?? {};
  expect(limits).toMatchObject({ maxBufferSize: bytes, maxStorageBufferBindingSize: bytes });
  expect(split).toMatchObject({ side: 'n', bytes: 2 ** 27 });
  const { parts = 0, size = 0 } = split ?? {};
  expect(size * 4096 * 4).toBeLessThanOrEqual(2 ** 27);
  expect(parts * size).toBeGreaterThanOrEqual(151_936);
  expect((parts - 1) * size).toBeLessThan(151_936);
  const question = questionSchema.parse({ shapes: '1x151936x4096', dtype: 'f32-nt' });
  for (const form of ['csv', 'ggml', 'onnxruntime'] as const) {
    expect(bestFile(form, [row], question)).toContain(`maxBufferSize ${bytes}`);
  }
  expect(rowOf('64', 'f32', 'matmul/naive').best?.split).toBeNull();
});
