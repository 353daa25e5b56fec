import { expect, test } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { resultCard } from './result-card';

const problem = { op: 'matmul', shape: { m: 128, n: 128, k: 128 }, dtype: 'f32' } as const;
const unknown = { key: 'a', name: 'Laptop', class: 'gpu' } as const;
const imported = { by: 'admin', at: '' };
const result = {
  address: 'matmul/naive',
  resultId: 'a',
  problem: problem as never,
  device: unknown,
  profile: 'default' as const,
  imported: null,
  outcome: measured(1e3),
  rate: { value: 2, unit: 'GFLOP/s' as const },
};

test('the best beside a result is called ranked only if it is', () => {
  const labels = (resultId: string, unranked: string | null) => {
    const best = { ...result, address: 'matmul/tiled', resultId };
    const { groups } = resultCard(result, { ...best, outcome: measured(1e3, { unranked }) });
    return groups.flatMap(({ bars }) => bars.map(({ label }) => label));
  };
  expect(labels('b', null)).toContain('Best ranked: matmul/tiled');
  expect(labels('b', 'by an earlier methodology')).toContain('Best, not ranked: matmul/tiled');
});

test('a result is drawn against the peak of its device', () => {
  const roof = { ns: 250, bound: 'compute' as const };
  expect(resultCard({ ...result, outcome: measured(1e3, { roof }) }, undefined)).toMatchObject({
    about: expect.stringMatching(/ on Laptop\. 25% of peak 8\.000 GFLOP\/s \(full bar\)$/),
    groups: [{ peak: { rate: 8, isMeasured: true, bound: 'compute' } }],
  });
  const h200 = { ...unknown, name: 'NVIDIA H200' };
  expect(resultCard({ ...result, device: h200 }, undefined).about).toMatch(
    / by data sheet \(full bar\)$/,
  );
  // The bar is full and no longer: the text says by how much it is beyond.
  const beyond = { ns: 1_030, bound: 'compute' as const };
  expect(
    resultCard({ ...result, outcome: measured(1e3, { roof: beyond }) }, undefined).about,
  ).toMatch(/ 103% of peak /);
});

test('a result with nothing beside it has no bar, and names its variant in words', () => {
  expect(resultCard(result, undefined)).toMatchObject({
    about: 'matmul/naive: matmul 128 f32, default, on Laptop',
    groups: [],
  });
  expect(resultCard(result, { ...result, resultId: 'b' }).groups).toMatchObject([{ peak: null }]);
});

test('a result that was imported says so', () => {
  const about = 'matmul/naive: matmul 128 f32, default, on Laptop';
  expect(resultCard(result, undefined).about).toBe(about);
  expect(resultCard({ ...result, imported }, undefined).about).toBe(
    `${about}; measured elsewhere and imported`,
  );
  const best = { ...result, resultId: 'b', imported };
  expect(resultCard(result, best).groups[0]?.bars[1]?.note).toBe('imported');
});

test('a result that is not ranked or a ceiling says so', () => {
  const quick = { ...result, outcome: measured(1e3, { unranked: 'too quick to rank' }) };
  expect(resultCard(quick, undefined).about).toMatch(/ on Laptop; not ranked$/);
  expect(resultCard({ ...result, address: 'transpose/copy[TILE=16]' }, undefined).about).toMatch(
    / on Laptop; a copy, the ceiling of transposes$/,
  );
});

test('a result that is incorrect is named, alone and with what is wrong', () => {
  const outcome = {
    kind: 'incorrect' as const,
    when: 'before' as const,
    worst: { row: 1, col: 2, got: 0.261318564414978, want: 4, bound: 1e-6 },
  };
  const wrong = { ...result, address: 'me/off-by-one[BLOCK=16]', outcome, rate: null };
  expect(resultCard(wrong, { ...result, resultId: 'b' })).toMatchObject({
    title: 'Incorrect: me/off-by-one[BLOCK=16]',
    about: expect.stringMatching(/ on Laptop: element \[1, 2\] is 0.261318564, should be 4/),
    groups: [],
  });
});
