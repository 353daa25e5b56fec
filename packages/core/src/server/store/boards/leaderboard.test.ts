import { InputError, shapeText } from '@tilemark/kernels';
import { beforeAll, describe, expect, test } from 'vitest';
import { leaderboardQuerySchema } from '../../../api/api';
import type { DeviceClass } from '../../../measure/device';
import { METHODOLOGY_VERSION, type Outcome } from '../../../measure/outcome';
import { attach, kernelRun, measured, recordAll, square } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { store } = await testStore();

const board = (over: Record<string, string> = {}) =>
  store.leaderboard(leaderboardQuerySchema.parse(over));

/** Records kernels of an n x n x n product on a device of the given name. */
async function device(
  name: string,
  n: number,
  entries: readonly (readonly [kernel: string, outcome: Outcome])[],
  kind: DeviceClass = 'gpu',
) {
  const { deviceKey, workerId } = await attach(store, name, 'w1', kind);
  const runs = entries.map(
    ([kernel, outcome]) => [kernelRun(deviceKey, kernel, square(n)), outcome] as const,
  );
  await recordAll(store, deviceKey, workerId, runs);
  return deviceKey;
}

test('an empty board has no problem and no rows', async () => {
  expect(await board()).toEqual({
    problem: null,
    profile: 'default',
    licence: 'CC0-1.0',
    methodology: METHODOLOGY_VERSION,
    problems: [],
    rows: [],
  });
});

describe('with results', () => {
  beforeAll(async () => {
    await device('Fast', 64, [
      ['matmul/naive', measured(10e6)],
      ['matmul/tiled', measured(1e6, { roof: { ns: 0.4e6, bound: 'compute' } })],
    ]);
    await device('Even', 64, [['matmul/tiled', measured(1.004e6)]]);
    await device('Slow', 64, [['matmul/naive', measured(5e6)]]);
    await device('Noisy', 64, [['matmul/tiled', measured(0.5e6, { unranked: 'noisy' })]]);
    await device('Host', 64, [['matmul/cpu-naive', measured(50e6)]], 'cpu');
    await device('Slow', 512, [['matmul/naive', measured(9e6)]]);
  });

  test('rows come by class, ranked before unranked, overlapping intervals share a rank', async () => {
    const { rows } = await board();
    expect(rows.map((row) => [row.device.name, row.rank])).toEqual([
      ['Fast', 1],
      ['Even', 1],
      ['Slow', 3],
      ['Noisy', null],
      ['Host', 1],
    ]);
    expect(rows[3]?.unranked).toBe('noisy');
  });

  test('a row has the best variant, its rate and its speed-up over naive', async () => {
    const { rows } = await board();
    expect(rows[0]).toMatchObject({
      address: 'matmul/tiled',
      medianNs: 1e6,
      speedupOverNaive: 10,
      roof: { ns: expect.closeTo(0.4e6), bound: 'compute' },
      rate: { unit: 'GFLOP/s' },
      driver: '1.2.3',
      isRange: false,
    });
    expect(rows[0]?.rate.value).toBeCloseTo((2 * 64 ** 3) / 1e6, 9);
    expect(rows[1]?.speedupOverNaive).toBeNull();
    expect(rows[2]?.speedupOverNaive).toBe(1);
    expect(rows[1]?.roof).toBeNull();
  });

  test('the problem most devices have comes first, and any other on request', async () => {
    const first = await board();
    expect(first.problem).toEqual(square(64));
    expect(first.problems).toEqual([
      { problem: square(64), devices: 5, gpus: 4 },
      { problem: square(512), devices: 1, gpus: 1 },
    ]);
    for (const shape of ['512', '512x512x512']) {
      const other = await board({ shape });
      expect(other.problem).toEqual(square(512));
      expect(other.rows.map((row) => row.device.name)).toEqual(['Slow']);
    }
    expect(await board({ shape: '3x4x5' })).toMatchObject({
      problem: { shape: { m: 3, n: 4, k: 5 } },
      rows: [],
    });
    expect((await board({ dtype: 'f16' })).problem).toBeNull();
    expect((await board({ profile: 'fast' })).rows).toEqual([]);
  });

  test.each(['x', '3x4', '0', '-1', '1.5', '4x4x4x4x4', '', '1e9'])(
    '%j is not a shape',
    async (shape) => {
      const failure = await board({ shape }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(InputError);
      expect((failure as InputError).field).toBe('shape');
    },
  );
});

describe('the best of a device', () => {
  const bestOf = async (name: string, entries: readonly (readonly [string, Outcome])[]) => {
    const key = await device(name, 128, entries);
    const [row] = (await board({ shape: '128' })).rows.filter((each) => each.device.key === key);
    return row;
  };

  test('is the median of its invocations, not the luckiest, in whatever order they come', async () => {
    const row = await bestOf('Order', [
      ['matmul/tiled', measured(2e6)],
      ['matmul/tiled', measured(1e6)],
      ['matmul/tiled', measured(3e6)],
    ]);
    expect(row).toMatchObject({ medianNs: 2e6, invocations: 3 });
    expect(row?.lowNs).toBeLessThan(1.5e6);
  });

  test('counts the results of one process as one invocation', async () => {
    const one = '0197c9a4-0000-7000-8000-000000000001';
    const of = (ns: number, invocation: string | null = null): Outcome => {
      const outcome = measured(ns);
      if (outcome.kind !== 'measured') throw new TypeError('it is measured');
      const { measurement } = outcome;
      return { ...outcome, measurement: { ...measurement, ...(invocation && { invocation }) } };
    };
    const row = await bestOf('Process', [
      ...[1, 1.1, 1.2, 1.3, 1.4].map((ms) => ['matmul/tiled', of(ms * 1e6, one)] as const),
      ['matmul/tiled', of(2e6)],
      ['matmul/tiled', of(2.1e6)],
    ]);
    expect(row).toMatchObject({ medianNs: 2e6, invocations: 3 });
  });

  test('gives way to another variant once it is found to be slower', async () => {
    const row = await bestOf('Lucky', [
      ['matmul/tiled', measured(1e6)],
      ['matmul/naive', measured(1.5e6)],
      ['matmul/tiled', measured(3e6)],
      ['matmul/tiled', measured(3e6)],
    ]);
    expect(row).toMatchObject({ address: 'matmul/naive', medianNs: 1.5e6, invocations: 1 });
  });

  test('is of one methodology: the newest that its problem has', async () => {
    const outcome = measured(1e6);
    if (outcome.kind !== 'measured') throw new TypeError('it is measured');
    const methodologyVersion = 1 as typeof METHODOLOGY_VERSION;
    const old = { ...outcome, measurement: { ...outcome.measurement, methodologyVersion } };
    const key = await device('Upgraded', 160, [['matmul/tiled', old]]);
    const rows = async (shape: string) => {
      const { methodology, problems, rows: all } = await board({ shape });
      const isListed = problems.some((row) => shapeText(row.problem) === shape);
      return { methodology, isListed, times: all.map(({ medianNs }) => medianNs) };
    };
    const earlier = { methodology: 1, isListed: true, times: [1e6] };
    expect(await rows('160')).toEqual(earlier);
    await device('Upgraded', 160, [['matmul/tiled', measured(2e6)]]);
    const current = { methodology: METHODOLOGY_VERSION, isListed: true, times: [2e6] };
    expect(await rows('160')).toEqual(current);
    await device('Not upgraded', 176, [['matmul/tiled', old]]);
    expect([await rows('160'), await rows('176')]).toEqual([current, earlier]);
    expect((await store.devices.best(key)).map(({ outcome: of }) => of)).toMatchObject([
      { measurement: { methodologyVersion: METHODOLOGY_VERSION } },
    ]);
  });

  test('is rankable where one is, however fast an unranked one was', async () => {
    const row = await bestOf('Rankable', [
      ['matmul/tiled', measured(1e6, { unranked: 'smoke' })],
      ['matmul/tiled', measured(5e6)],
      ['matmul/tiled', measured(2e6, { unranked: 'smoke' })],
    ]);
    expect(row).toMatchObject({ medianNs: 5e6, unranked: null });
  });

  test('is never an incorrect, skipped or failed result, nor a ceiling', async () => {
    const worst = { row: 0, col: 0, got: 'NaN', want: 1, bound: 0 };
    const row = await bestOf('Wrong', [
      ['matmul/tiled', { kind: 'incorrect', when: 'before', worst }],
      ['matmul/tiled', { kind: 'skipped', why: 'too big' }],
    ]);
    expect(row).toBeUndefined();
    const { deviceKey, workerId } = await attach(store, 'Ceiling');
    const problem = {
      op: 'transpose',
      shape: { rows: 8, cols: 4 },
      dtype: 'f32',
    } as const;
    await recordAll(store, deviceKey, workerId, [
      [kernelRun(deviceKey, 'transpose/copy', problem), measured(1e5)],
      [kernelRun(deviceKey, 'transpose/naive', problem), measured(2e5)],
    ]);
    const { rows } = await board({ op: 'transpose', shape: '8x4' });
    expect(rows.map((each) => each.address)).toEqual(['transpose/naive']);
  });

  test('is compared with the fastest naive that counts as much', async () => {
    const row = await bestOf('Naive', [
      ['matmul/tiled', measured(1e6)],
      ['matmul/naive', measured(8e6)],
      ['matmul/naive', measured(4e6)],
      ['matmul/naive', measured(3e6, { unranked: 'noisy' })],
    ]);
    // Of two in the middle the slower.
    expect(row?.speedupOverNaive).toBe(8);
    const unsure = await bestOf('UnrankedNaive', [
      ['matmul/tiled', measured(1e6)],
      ['matmul/naive', measured(8e6, { unranked: 'noisy' })],
    ]);
    expect(unsure?.speedupOverNaive).toBeNull();
  });

  test('stands when results of several workers come at once', async () => {
    const { deviceKey, workerId } = await attach(store, 'Crowd');
    const times = [7, 3, 9, 1, 5, 8, 2, 6, 4];
    await Promise.all(
      times.map((time) =>
        recordAll(store, deviceKey, workerId, [
          [kernelRun(deviceKey, 'matmul/tiled', square(128)), measured(time * 1e6)],
        ]),
      ),
    );
    const [best] = await store.devices.best(deviceKey);
    expect(best?.outcome).toMatchObject({ measurement: { cold: { medianNs: 5e6 } } });
    const { rows } = await board({ shape: '128' });
    expect(rows.find(({ device: { key } }) => key === deviceKey)).toMatchObject({ invocations: 9 });
  });
});

test('a result of a policy that never ranks displaces none of one that does', async () => {
  const { deviceKey, workerId } = await attach(store, 'Shaky', 'w1');
  const noisy = kernelRun(deviceKey, 'matmul/tiled', square(96));
  const quick = { ...noisy, policy: 'smoke' } as const;
  await recordAll(store, deviceKey, workerId, [
    [noisy, measured(2e6, { unranked: 'noisy' })],
    [quick, measured(1e6, { unranked: 'too quick', policy: 'smoke' })],
  ]);
  const row = async () => (await board({ shape: '96' })).rows[0];
  expect(await row()).toMatchObject({ medianNs: 2e6, unranked: 'noisy' });
  // Another that is not ranked counts beside it, and a ranked one displaces both.
  await recordAll(store, deviceKey, workerId, [[noisy, measured(1.5e6, { unranked: 'noisy' })]]);
  expect(await row()).toMatchObject({ medianNs: 2e6, invocations: 2 });
  await recordAll(store, deviceKey, workerId, [[noisy, measured(3e6)]]);
  expect(await row()).toMatchObject({ medianNs: 3e6, unranked: null });
});

test('the board opens on what is ranked, though a larger square was measured as often', async () => {
  const of = (n: number) => ({ ...square(n), dtype: 'i32' }) as const;
  for (const name of ['Fast', 'Even']) {
    const { deviceKey, workerId } = await attach(store, name, 'w1');
    await recordAll(store, deviceKey, workerId, [
      [kernelRun(deviceKey, 'matmul/tiled', of(64)), measured(1e6)],
      [kernelRun(deviceKey, 'matmul/tiled', of(512)), measured(9e6, { unranked: 'noisy' })],
    ]);
  }
  const { problem, problems } = await board({ dtype: 'i32' });
  expect(problem).toEqual(of(64));
  expect(problems).toContainEqual({ problem: of(512), devices: 2, gpus: 2 });
});

/** As often as it takes to tell 2% on a GPU of which nothing else is known. */
const fourTimes = (ns: number) =>
  Array.from({ length: 4 }, () => ['matmul/naive', measured(ns)] as const);

test('a wide interval is placed by its slow end, within a device and among devices', async () => {
  await device('Faster beyond doubt', 97, [
    ['matmul/naive', measured(10e6)],
    ['matmul/tiled', measured(2e6, { halfWidth: 0.3 })],
  ]);
  await device('Perhaps faster', 97, [
    ...fourTimes(2.5e6),
    ['matmul/tiled', measured(2e6, { halfWidth: 0.3 })],
  ]);
  await device('Behind', 97, fourTimes(2.55e6));
  const { rows } = await board({ shape: '97' });
  expect(rows).toMatchObject([
    { device: { name: 'Perhaps faster' }, rank: 1, address: 'matmul/naive' },
    { device: { name: 'Behind' }, rank: 2 },
    { device: { name: 'Faster beyond doubt' }, rank: 2, address: 'matmul/tiled', medianNs: 2e6 },
  ]);
});
