import { readdir, readFile } from 'node:fs/promises';
import { admitKernel } from '@tilemark/core/contributed';
import { DTYPES, idsOf, isBlocked, KERNELS } from '@tilemark/kernels';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseDevice, openDevice } from '../../apps/worker/src/device/select';
import { MUTANTS } from './kernels';
import { fateOf, fateOfRight, problemOf } from './run';

const device = await openDevice(await chooseDevice('auto'), 'default', new URL('none:'));
afterAll(() => device.executor.destroy());

// All sizes and dtypes: `npm run test:mutants`.
const SIZE = '17x31x5';
/** For those that are right there. */
const OTHERS = ['48x64x40', '5x33x20x24', '3x5x3100', '258x256x3', '32x32x32'];
/** With whole blocks of weights, and sums of i8 beyond 2^24. */
const BLOCKED_SIZE = '17x31x1344';

it('has at least 40 mutants', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
});

describe.each([
  ...idsOf(DTYPES).map((dtype) => [dtype, isBlocked(dtype) ? BLOCKED_SIZE : SIZE] as const),
])('in %s at %s', (dtype, size) => {
  const those = MUTANTS.flatMap((mutant) => {
    const { isWrongOn, kernel } = mutant;
    // In others only what is about them.
    if (dtype !== 'f32' && kernel.dtypes.includes('f32')) return [];
    const problems = [size, ...OTHERS].map((each) => problemOf(kernel.op, each, dtype));
    const problem = problems.find(isWrongOn);
    return problem ? [{ ...mutant, problem }] : [];
  });
  it.each(those)('$name is caught', async (mutant) => {
    expect(await fateOf(device, mutant, mutant.problem)).toMatchObject({ kind: 'caught' });
  });

  const right = KERNELS.filter(
    ({ id, dtypes }) =>
      /^(matmul|transpose)\/(naive|tiled)$/.test(id) &&
      (dtypes as readonly string[]).includes(dtype),
  );
  it.each(right.map((kernel) => [kernel.id, kernel] as const))('%s passes', async (_id, kernel) => {
    const fate = await fateOfRight(device, kernel, problemOf(kernel.op, size, dtype));
    expect(fate).toMatchObject({ kind: 'passed' });
  });
});

const RIGHT = new URL('./right/', import.meta.url);

it.each(await readdir(RIGHT))('%s, which is right, passes', async (name) => {
  const source = await readFile(new URL(name, RIGHT), 'utf8');
  const { kernel } = await admitKernel({ author: 'right', source });
  for (const dtype of kernel.dtypes) {
    for (const size of ['52x68x20', '64x64x64']) {
      const fate = await fateOfRight(device, kernel, problemOf(kernel.op, size, dtype));
      if (dtype !== 'f16') expect(fate).toMatchObject({ kind: 'passed' });
      else expect(fate.kind).not.toBe('caught');
    }
  }
});
