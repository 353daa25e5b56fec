import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, evidenceSchema, type Result } from '@tilemark/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  environment,
  measured,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { saveWinner } from './save';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-save-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const winner = (n: number, medianNs: number): Result => ({
  runId: 'local',
  resultId: null,
  variant: { kernel: 'matmul/naive', tunables: {} },
  address: 'matmul/naive',
  problem: square(n),
  device: { key: 'one', name: 'One', class: 'gpu' },
  profile: 'default',
  policy: 'default',
  outcome: measured(medianNs),
  rate: null,
  endedAt: '2026-11-21T12:00:00.000Z',
});
/** Of the duel with what the file has. */
const lost = async () => false;
const won = async () => true;
const search = { command: 'tilemark tune', tried: 3 };

it('keeps with each variant the driver and runtime it was measured under', async () => {
  const path = join(folder, 'tuned.json');
  const later: Environment = {
    ...environment('One'),
    driver: 'later',
    runtimeVersions: { node: '99.0.0' },
  };
  await saveWinner(path, winner(64, 10), environment('One'), search, lost);
  await saveWinner(path, winner(128, 20), environment('One'), search, lost);
  await saveWinner(path, winner(128, 15), later, search, won);
  const { measured: found } = evidenceSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  const { driver, runtimeVersions } = environment('One');
  // In order of their shapes, as texts.
  expect(found).toMatchObject([
    { medianNs: 15, driver: 'later', runtimeVersions: { node: '99.0.0' } },
    { medianNs: 10, driver, runtimeVersions },
  ]);
});

it('keeps a variant that its duel does not lose, and measures one again', async () => {
  const path = join(folder, 'faster.json');
  const of = (tile: number, medianNs: number): Result => ({
    ...winner(64, medianNs),
    address: `matmul/naive[BLOCK=${tile}]`,
  });
  const saved = async () => {
    const { measured: found } = evidenceSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return found.map(({ address, medianNs }) => [address, medianNs]);
  };
  expect(await saveWinner(path, of(8, 10), environment('One'), search, lost)).toBeNull();
  expect(await saveWinner(path, of(16, 12), environment('One'), search, lost)).toContain(
    'already has a better variant: 10.00 ns, matmul/naive[BLOCK=8]',
  );
  expect(await saved()).toEqual([['matmul/naive[BLOCK=8]', 10]]);
  expect(await saveWinner(path, of(8, 11), environment('One'), search, lost)).toBeNull();
  expect(await saved()).toEqual([['matmul/naive[BLOCK=8]', 11]]);
  const noisy = of(16, 5);
  if (noisy.outcome?.kind !== 'measured') throw new TypeError('it was measured');
  const { measurement } = noisy.outcome;
  const outcome = { ...noisy.outcome, measurement: { ...measurement, unranked: 'noisy' } };
  expect(await saveWinner(path, { ...noisy, outcome }, environment('One'), search, lost)).toContain(
    'keeps what would be ranked only, and this is noisy',
  );
  expect(await saved()).toEqual([['matmul/naive[BLOCK=8]', 11]]);
  const later = { ...environment('One'), driver: 'later' };
  expect(await saveWinner(path, of(16, 12), later, search, won)).toBeNull();
  expect(await saved()).toEqual([['matmul/naive[BLOCK=16]', 12]]);
  await writeFile(path, (await readFile(path, 'utf8')).replace('BLOCK=16', 'NO_MORE=1'));
  expect(await saveWinner(path, of(8, 20), later, search, won)).toBeNull();
  expect(await saved()).toEqual([['matmul/naive[BLOCK=8]', 20]]);
});

it('refuses a file of another device, and a path that cannot be read', async () => {
  const path = join(folder, 'other.json');
  await saveWinner(path, winner(64, 10), environment('One'), search, lost);
  const before = await readFile(path, 'utf8');
  const other = saveWinner(path, winner(64, 5), environment('Two'), search, lost);
  await expect(other).rejects.toMatchObject({ field: '--save' });
  expect(await readFile(path, 'utf8')).toBe(before);
  const unreadable = saveWinner(folder, winner(64, 5), environment('One'), search, lost);
  await expect(unreadable).rejects.toMatchObject({
    field: '--save',
    message: expect.stringMatching(/EISDIR.*read/),
  });
});
