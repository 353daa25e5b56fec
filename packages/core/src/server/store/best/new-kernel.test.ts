import { parseVariant, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addToyKernel, toyKernel } from '../../../../../kernels/src/kernel/toy-kernel.test-helper';
import { FAMILIES } from '../../../plan/families';
import type { Observation } from '../../../tune/evidence';
import { familyShapes, searchFamily } from '../../../tune/family-search';
import { drive, type TrialOutcome } from '../../../tune/protocol';
import { Selector } from '../../../tune/selector';
import { attach, measured, planned, recordAll, square } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';
import { bestOf, cube } from './tiles.test-helper';

let remove: () => void;
const { store } = await testStore();
beforeAll(async () => {
  remove = addToyKernel();
});
afterAll(async () => {
  remove();
});

const isToy = ({ address }: { readonly address: string }) => address.startsWith(toyKernel.id);
const family = FAMILIES.find(({ id }) => id === 'llm-shapes');
const nsOf = (address: string, size: number) => (4e6 + size / 1e3) * (isToy({ address }) ? 1 : 3);

test('a family search tries the candidates of a new kernel, and the selector learns from them', async () => {
  if (!family) throw new Error('the family is gone');
  const some = { op: family.op, shapes: family.shapes.slice(0, 20) };
  const { shapes } = familyShapes(some, 'f32', () => null);
  const [points] = shapes.map((shape) => shape.points.filter(isToy));
  // The default, another block and a split; the piece that is not declared is left out.
  expect(points?.map(({ address }) => address)).toEqual(
    ['', 'BLOCK=16,', 'PIECES=4,'].map(
      (values) => parseVariant(`${toyKernel.id}[${values.slice(0, -1)}]`.replace('[]', '')).address,
    ),
  );
  let nowNs = 0;
  const search = searchFamily<TrialOutcome>({ shapes, budgetNs: 1e18, nowNs: () => nowNs++ });
  const { times } = await drive(search, async ({ run }) => {
    const [m = 1, n = 1, k = 1] = shapeText(run.problem).split('x').map(Number);
    const medianNs = nsOf(run.address, m * n * k);
    const cold = { medianNs, lowNs: medianNs, highNs: medianNs };
    return {
      outcome: run.rival ? null : { kind: 'measured', measurement: { cold, unranked: null } },
      contrast: null,
    };
  });
  const selector = new Selector(times);
  const [best] = selector.rank(square(700), () => true);
  expect(best && isToy(best)).toBe(true);
  // What a tunable only splits shares the model of its family, though nobody timed it.
  const address = (pieces: number) => parseVariant(`${toyKernel.id}[PIECES=${pieces}]`).address;
  expect(times.some((each: Observation) => each.address === address(8))).toBe(false);
  expect(selector.knows(address(8))).toBe(true);
});

test('/best names a new kernel for a shape that nobody measured', async () => {
  const { deviceKey, workerId } = await attach(store, 'Toy owner');
  await recordAll(
    store,
    deviceKey,
    workerId,
    [256, 512, 1024, 2048].flatMap((n) =>
      [toyKernel.id, 'matmul/warp-tile'].map((kernel) => {
        const { address, tunables } = parseVariant(kernel);
        const variant = { kernel, tunables };
        return [
          { ...planned(deviceKey, { variant, address, problem: square(n) }), policy: 'screen' },
          measured(nsOf(address, n ** 3), { policy: 'screen', samples: 7 }),
        ] as const;
      }),
    ),
  );
  expect(await bestOf(store, { device: deviceKey, ...cube(700) })).toMatchObject({
    basis: 'device',
    variant: { kernel: toyKernel.id },
    quote: { source: 'predicted' },
    wgsl: expect.stringContaining('fn main'),
  });
});
