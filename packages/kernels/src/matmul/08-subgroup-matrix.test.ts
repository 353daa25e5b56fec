import { expect, test } from 'vitest';
import { feasible } from '../feasible';
import { limitsOf, openDevice } from '../gpu/dawn.test-helper';
import { specialise } from '../specialise';
import { resolveVariant } from '../variant';
import { subgroupMatrix } from './08-subgroup-matrix';

// Dawn's null adapter runs nothing and has every feature: what can be checked of tensor
// cores on a machine without them.
test('the shader of every variant is valid', async () => {
  const { device } = await openDevice(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
  const { tunables: defaults } = resolveVariant(subgroupMatrix.id);
  const variants = subgroupMatrix.tunables
    .flatMap(({ name, values }) => values.map((value) => ({ ...defaults, [name]: value })))
    .filter((values) => subgroupMatrix.constraints.every(({ holds }) => holds(values)));
  expect(variants.length).toBeGreaterThan(subgroupMatrix.tunables.length);
  for (const tunables of variants) {
    const code = specialise(subgroupMatrix, tunables, 'f16');
    const module = device.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    const { address } = resolveVariant(subgroupMatrix.id, tunables);
    expect(
      messages.map(({ message }) => message),
      address,
    ).toEqual([]);
  }
  device.destroy();
});

test('a device without matrices of its shape is told which it lacks', async () => {
  const { device } = await openDevice();
  const limits = { ...limitsOf(device), features: ['shader-f16', 'subgroups'] };
  const shape = { m: 64, n: 64, k: 64 };
  const verdict = feasible(
    { kernel: subgroupMatrix.id, tunables: {} },
    { op: 'matmul', shape, dtype: 'f16' },
    limits,
  );
  expect(verdict).toMatchObject({ ok: false });
  expect(verdict.ok || verdict.why).toContain('subgroup-matrix-f32-f16-16x16x16');
  device.destroy();
});
