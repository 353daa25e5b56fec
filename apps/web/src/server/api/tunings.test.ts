import { deviceKey } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  capabilities,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';

let grid: TestGrid;
let token: string;
const key = deviceKey(identity('One'));

beforeAll(async () => {
  grid = await openTestGrid();
  token = await grid.token('member', 'Ada');
  for (const [name, kind] of [
    ['One', 'gpu'],
    ['Host', 'cpu'],
    ['Tab', 'browser'],
  ] as const) {
    const worker = { name: 'w', host: 'h', version: '0.0.0', capabilities };
    await grid.store.workers.attach({ ...worker, identity: identity(name, kind) });
  }
});
afterAll(() => grid.close());

const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' };
const body = (over: object = {}) => ({ device: key, problem, budgetSeconds: 10, ...over });
const of = (over: object) => body({ problem: { ...problem, ...over } });
const family = (over: object) => ({
  device: key,
  suite: 'transpose-shapes',
  budgetSeconds: 7_200,
  ...over,
});
const post = (asked: unknown, headers: Record<string, string> = {}) =>
  call('POST /tunings', { token, body: asked, headers });

describe('a tuning', () => {
  it('is a sweep that waits for its device, and says where it is shown', async () => {
    const response = await post(body());
    expect(response.status).toBe(201);
    const { counts, id, page } = await response.json();
    expect(page).toBe(`/sweeps/${id}`);
    expect(counts).toMatchObject({ total: 1, pending: 1 });
    const sweep = await (await call('GET /sweeps/{id}', { params: { id } })).json();
    expect(sweep).toMatchObject({
      status: 'queued',
      createdBy: 'Ada',
      spec: { policy: 'screen', devices: [key] },
      tuning: { problem, profile: 'default', budgetSeconds: 10, tried: 0, decision: null },
    });
    expect(await grid.store.sweeps.list()).toMatchObject({ items: [{ id }] });
  });

  it('is made once per key, and cancelled by its maker', async () => {
    const twice = [1, 2].map(() => post(body(), { 'Idempotency-Key': 'once' }));
    const [first, second] = await Promise.all(
      (await Promise.all(twice)).map((each) => each.json() as Promise<{ id: string }>),
    );
    expect(second?.id).toBe(first?.id);
    const params = { id: first?.id ?? '' };
    const cancelled = await call('POST /sweeps/{id}/cancel', { params, token });
    expect(await cancelled.json()).toMatchObject({ status: 'cancelled' });
  });

  it('of one kernel of ours, or of a family, says so', async () => {
    for (const [asked, searched] of [
      [body({ kernel: 'matmul/tiled' }), { kernel: 'matmul/tiled', problem }],
      [family({}), { suite: 'transpose-shapes', dtype: 'f32', budgetSeconds: 7_200 }],
    ] as const) {
      const { id } = await (await post(asked)).json();
      const sweep = await (await call('GET /sweeps/{id}', { params: { id } })).json();
      expect(sweep.tuning).toMatchObject({ ...searched, tried: 0 });
      // No worker has begun it.
      const { items } = await (await call('GET /sweeps/{id}/results', { params: { id } })).json();
      expect(items).toEqual([]);
    }
  });

  it.each([
    ['an unknown device', body({ device: 'nowhere' }), 'device'],
    ['no device', body({ device: undefined }), 'device'],
    ['a CPU', body({ device: deviceKey(identity('Host')) }), 'device'],
    ['a dtype that the device lacks', of({ dtype: 'f16' }), 'problem.dtype'],
    [
      'another profile of a tab',
      body({ device: deviceKey(identity('Tab')), profile: 'fast' }),
      'profile',
    ],
    ['an unknown profile', body({ profile: 'slow' }), 'profile'],
    ['an unknown op', of({ op: 'conv' }), 'problem.op'],
    [
      'a dtype of nobody',
      of({ op: 'transpose', shape: { rows: 8, cols: 8 }, dtype: 'f16acc16' }),
      'problem.dtype',
    ],
    ['a zero dimension', of({ shape: { m: 0, n: 64, k: 64 } }), 'problem.shape.m'],
    ['a giant dimension', of({ shape: { m: 64, n: 16_777_217, k: 64 } }), 'problem.shape.n'],
    ['more than a buffer holds', of({ shape: { m: 32_768, n: 64, k: 32_768 } }), 'problem.shape'],
    ['the shape of another op', of({ shape: { rows: 8, cols: 8 } }), 'problem.shape.m'],
    ['too little time', body({ budgetSeconds: 9 }), 'budgetSeconds'],
    ['too much time', body({ budgetSeconds: 3_601 }), 'budgetSeconds'],
    ['part of a second', body({ budgetSeconds: 10.5 }), 'budgetSeconds'],
    ['a field of no use', body({ seed: 1 }), 'seed'],
    ['nothing to search', body({ problem: undefined }), 'problem'],
    ['a problem and a suite', body({ suite: 'odd-shapes' }), 'suite'],
    ['a problem and a dtype beside it', body({ dtype: 'f32' }), 'dtype'],
    [
      'an epilogue that the kernel does not compute',
      { ...of({ epilogue: 'relu' }), kernel: 'matmul/naive-global' },
      'problem.epilogue',
    ],
    ['an unknown kernel', body({ kernel: 'matmul/nobody' }), 'kernel'],
    ['a kernel of another op', body({ kernel: 'transpose/tiled' }), 'problem.op'],
    ['a kernel and a suite', family({ kernel: 'transpose/tiled' }), 'kernel'],
    ['an unknown suite', family({ suite: 'no-shapes' }), 'suite'],
    ['a suite that is no family', family({ suite: 'starter' }), 'suite'],
    ['an unknown dtype of a family', family({ dtype: 'f8' }), 'dtype'],
    ['a dtype of a family that the device lacks', family({ dtype: 'f16' }), 'dtype'],
    ['too little time for a family', family({ budgetSeconds: 9 }), 'budgetSeconds'],
    ['too much time for a family', family({ budgetSeconds: 14_401 }), 'budgetSeconds'],
  ])('is refused with %s at its field', async (_, asked, field) => {
    const before = await grid.rows();
    const response = await post(asked);
    expect([response.status, (await response.json()).field]).toEqual([400, field]);
    expect(await grid.rows()).toEqual(before);
  });
});
