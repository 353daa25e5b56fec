import { brokenConstraints, opOf, parseVariant, shapeText } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { expand } from '../plan/expansion';
import { suiteSpec } from './suites';

const WARPS =
  'matmul/warp-tile[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=8,A_TILE=swizzled]';
const tuned = `${parseVariant(WARPS).address} 8192`;
const runsOf = (key: string, n = 8192) =>
  expand(suiteSpec('peak', { n }), [{ key, class: 'gpu' }]).map(
    ({ address, problem }) => `${address} ${shapeText(problem)}`,
  );

it('runs tuned variants on devices like the one they are of and no other', () => {
  const h200 = runsOf('nvidia-nvidia_h200-vulkan-dawn');
  expect(h200).toContain(tuned);
  expect(h200).toContain(`${parseVariant('matmul/warp-tile').address} 8192`);
  expect(runsOf('nvidia-nvidia_a100-vulkan-dawn')).not.toContain(tuned);
});

it('has variants that exist and fit together, none on a larger problem than asked for', () => {
  const { cases } = suiteSpec('peak', { n: 2048 });
  const ofModels = cases.filter(({ onlyOn }) => onlyOn);
  expect(ofModels).not.toEqual([]);
  for (const { dtypes, kernel, shapes, tunables } of ofModels) {
    const values = Object.entries(tunables).map(([name, [value]]) => `${name}=${value}`);
    const variant = parseVariant(`${kernel}[${values.join(',')}]`);
    const { definition } = variant;
    expect(brokenConstraints(definition, variant.tunables)).toEqual([]);
    expect(definition.dtypes).toEqual(expect.arrayContaining(dtypes));
    for (const shape of shapes) {
      const problem = { op: definition.op, shape, dtype: dtypes[0] } as Parameters<typeof opOf>[0];
      expect(Math.max(...opOf(problem).sides(shape))).toBeLessThanOrEqual(2048);
    }
  }
});
