import {
  DTYPES,
  type Dtype,
  faultOf,
  idsOf,
  kernelById,
  OPS,
  opById,
  opOf,
  type Problem,
  shapeText,
} from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addToys } from '../../../../../../packages/kernels/src/problem/toy.test-helper';

// Added before anything that reads the tables is imported: hence the imports further down.
const toy = addToys();
const toyDtype = 'f32toy' as Dtype;

const core = await import('@tilemark/core');
const { createHostExecutor } = await import('@tilemark/kernels');
const fixtures = await import(
  '../../../../../../packages/core/src/server/store/fixtures.test-helper'
);
const { testDatabase } = await import('../../../../../../packages/core/services.test-helper');
const { openStore } = await import('@tilemark/core/server');
const { emptyCase, prefilled, prefillSchema, toNewSweep } = await import('./form');

let store: ReturnType<typeof openStore>;
let device: { deviceKey: string; workerId: string };
beforeAll(async () => {
  store = openStore(await testDatabase());
  device = await fixtures.attach(store, 'Host', 'w1', 'cpu');
});
afterAll(() => store.close());

/** A problem of an op, no two of its dimensions alike, its rows whole blocks. */
const problemOf = (op: (typeof toy)['op'], dtype: Dtype): Problem => {
  const { dimensions, shape } = opById(op);
  const made = shape(dimensions.map((_, index) => 8 + index)) as Problem['shape'];
  const { field = '', multiple } = faultOf(op, made, dtype) ?? {};
  return { op, shape: multiple ? { ...made, [field]: multiple } : made, dtype } as Problem;
};

describe('an op and a dtype that are in the tables only', () => {
  it('go through form, expansion, run, store and board', async () => {
    const form = prefilled(
      prefillSchema.parse({ kernel: toy.kernel, shape: '8x9, 16', dtype: toyDtype }),
      (name) => (name === 'ORDER' ? 'first,last' : undefined),
    );
    expect(emptyCase(kernelById(toy.kernel)).tunables).toEqual({ ORDER: ['first'] });
    const spec = core.requestedSpec(toNewSweep({ ...form, policy: 'smoke' }));
    expect(core.specSchema.parse(spec).cases[0]?.shapes).toEqual([
      { height: 8, width: 9 },
      { height: 16, width: 16 },
    ]);

    const runs = core.expand(spec, [{ key: device.deviceKey, class: 'cpu' }]);
    expect(runs.map(({ address, problem }) => `${address} ${shapeText(problem)}`)).toEqual([
      'row-sums/cpu-naive[ORDER=first] 8x9',
      'row-sums/cpu-naive[ORDER=last] 8x9',
      'row-sums/cpu-naive[ORDER=first] 16',
      'row-sums/cpu-naive[ORDER=last] 16',
    ]);

    const { runIds } = await fixtures.sweepOf(store, runs);
    for (const [index, { variant, problem }] of runs.entries()) {
      const outcome = await core.runVariant(
        createHostExecutor(),
        variant,
        problem,
        core.POLICIES.smoke,
        fixtures.capabilities,
        { deviceClass: 'cpu', lastLevelCacheBytes: 1024, nowNs: () => performance.now() * 1e6 },
      );
      expect(outcome.kind).toBe('measured');
      await store.runs.record(
        fixtures.recorded(runIds[index] ?? '', device.workerId, outcome, 'Host'),
      );
    }

    const query = core.leaderboardQuerySchema.parse({ op: toy.op, dtype: toyDtype, shape: '8x9' });
    const board = core.leaderboardSchema.parse(await store.leaderboard(query));
    expect(board.problem).toEqual(runs[0]?.problem);
    expect(board.rows).toMatchObject([
      { device: { key: device.deviceKey }, rate: { unit: 'GB/s' } },
    ]);
    expect(core.leaderboardCsv(board)).toContain('row-sums,8x9,f32toy,default');
  });

  it('are refused where the shape is another op’s', () => {
    const cases = [{ kernel: toy.kernel, shapes: [{ m: 1, n: 1, k: 1 }], dtypes: ['f32'] }];
    expect(() =>
      core.expand(core.specSchema.parse({ cases }), [{ key: 'a', class: 'cpu' }]),
    ).toThrow('whose shapes have height, width, not m, n, k');
  });
});

describe.each(idsOf(OPS))('%s', (op) => {
  // Those that say how a second input is stored are for ops that have one.
  const dtypes = idsOf(DTYPES).filter((dtype) => !faultOf(op, problemOf(op, dtype).shape, dtype));
  it.each(dtypes)('is answered by every view in %s', async (dtype) => {
    const problem = problemOf(op, dtype);
    const kernel = op === toy.op ? toy.kernel : `${op}/cpu-naive`;
    await fixtures.recordAll(store, device.deviceKey, device.workerId, [
      [fixtures.kernelRun(device.deviceKey, kernel, problem), fixtures.measured(1_000)],
    ]);
    const shape = shapeText(problem);
    const query = core.groupedQuerySchema.parse({ op, dtype, shape });
    const cells = `${op},${shape},${dtype},default`;

    const board = core.leaderboardSchema.parse(await store.leaderboard(query));
    expect(board.rows).toHaveLength(1);
    expect(core.leaderboardCsv(board)).toContain(cells);
    expect(board.rows[0]?.rate).toEqual({
      value: opOf(problem).rate(problem, 1_000),
      unit: opOf(problem).rateUnit(problem),
    });
    const portability = core.portabilitySchema.parse(await store.portability(query));
    expect(core.portabilityCsv(portability)).toContain(cells);

    const own = await store.devices.best(device.deviceKey);
    const ours = own.find((result) => result.problem.op === op && result.problem.dtype === dtype);
    expect(ours?.problem).toEqual(problem);
    const { head, line } = core.resultTable(core.kindsOf(ours ? [ours] : []));
    expect(head).toContain(`op,shape,${Object.keys(problem.shape).join()},dtype`);
    expect(line(ours as (typeof own)[number])).toContain(`,${op},${shape},`);
    const asked = core.questionSchema.parse({ op, dtype, shape, device: device.deviceKey });
    const [row] = await store.best(asked);
    expect(row?.problem).toEqual(problem);
    expect(row?.best?.problem.op ?? op).toBe(op);
    const results = await store.kernelResults({ kernel, dtype, shape });
    expect(results.problems.map((each) => each.problem)).toContainEqual(problem);
  });
});
