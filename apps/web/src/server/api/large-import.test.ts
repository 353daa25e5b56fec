import { deviceKey, MAXIMA } from '@tilemark/core';
import { expect, it } from 'vitest';
import {
  environment,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, gridOfFile } from '../grid.test-helper';

const ROWS: number = MAXIMA.results;

const { grid, send } = gridOfFile('member');

/** A file of many results, one of which names a kernel that does not exist. */
function fileOf(bad: number, rows = ROWS): string {
  const row = (index: number) => ({
    runId: String(index),
    resultId: null,
    variant: { kernel: index === bad ? 'matmul/none' : 'matmul/tiled', tunables: {} },
    address: '',
    problem: { op: 'matmul', shape: { m: (index % 1_000) + 1, n: 8, k: 8 }, dtype: 'f32' },
    device: { key: deviceKey(identity('One')), name: 'One', class: 'gpu' },
    profile: 'default',
    policy: 'default',
    outcome: { kind: 'skipped', why: 'not enough workgroup memory' },
    rate: null,
  });
  const results = Array.from({ length: rows }, (_, index) => row(index));
  const lines = [{ version: 1, environment: environment('One') }, ...results];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

const bring = (body: string) => send('POST /results/import', body);

it('of as many rows as a file may have one is bad: it is named, and none is kept', async () => {
  const response = await bring(fileOf(18_765));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ field: 'results[18765].variant.kernel' });
  expect((await grid().store.sweeps.list()).items).toEqual([]);
});

it('one row more is refused, and none is kept', async () => {
  const response = await bring(fileOf(-1, ROWS + 1));
  expect(response.status).toBe(413);
  expect((await grid().store.sweeps.list()).items).toEqual([]);
});

it.each([
  ['JSON of one line', (text: string) => `{"version":1,"results":[${text.split('\n')[1]}]}`, 1],
  ['a line that is cut off', (text: string) => text.slice(0, -3), 3],
  ['a line that is no object', (text: string) => `${text}\n[]`, 4],
  [
    'a field at fault',
    (text: string) => text.replace(/"profile":"default"(?=[^\n]*$)/, '"profile":"x"'),
    3,
  ],
])('%s is refused by its line, and nothing kept', async (_what, spoil, line) => {
  const response = await bring(spoil(fileOf(-1, 2)));
  expect(response.status).toBe(400);
  const { detail, field } = await response.json();
  expect(detail).toMatch(new RegExp(`^Line ${line}[: ]`));
  expect(detail).not.toContain('\n');
  if (_what === 'a field at fault') expect(field).toBe('results[1].profile');
  expect((await grid().store.sweeps.list()).items).toEqual([]);
});

it('JSON that is not lines is refused by its type', async () => {
  const response = await call('POST /results/import', {
    token: await grid().token('member'),
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect([response.status, (await response.json()).detail]).toEqual([
    415,
    'Send the body as application/x-ndjson.',
  ]);
});
