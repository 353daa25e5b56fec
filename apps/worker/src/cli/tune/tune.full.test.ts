import { readFile, writeFile } from 'node:fs/promises';
import { type BenchFile, benchFileSchema, evidenceSchema, kernelTemplate } from '@tilemark/core';
import { expect, it } from 'vitest';
import { type Ended, NAIVE, useTune } from './tune.test-helper';

const { tune, file } = useTune();

/** Trials in the order they were made: policy, address, and whether the cache had them. */
const trialsOf = ({ stderr }: Ended) =>
  [...stderr.matchAll(/^\d+ at \d+ s, (\w+): ([^:]+): (.*)$/gm)].map(
    ([, policy, address, rest]) => ({
      trial: `${policy} ${address}`,
      cached: rest?.endsWith(', from the cache') ?? false,
    }),
  );
const tried = (ended: Ended) => trialsOf(ended).map(({ trial }) => trial);
const screened = (ended: Ended) => tried(ended).filter((trial) => trial.startsWith('screen '));
const afresh = (ended: Ended) =>
  trialsOf(ended).flatMap(({ trial, cached }) => (cached ? [] : trial));

/** Of the screened; a trial has the same id in every file, so that a grid knows it again. */
const outcomes = (results: BenchFile['results']) =>
  results.flatMap(({ runId, policy, address, endedAt, outcome }) =>
    policy === 'screen' ? [[runId, address, endedAt, outcome]] : [],
  );

it('tune tries a space, writes results, saves the winner, and goes on from its cache', async () => {
  const args = [...NAIVE, '--tunable', 'BLOCK=4,8', '--budget', '1h'];
  const files = ['--cache', file('trials'), '--json', file('all.json'), '--save', file('best')];
  const first = await tune(...args, ...files);
  expect(afresh(first)).toEqual(tried(first));
  expect(first.code).toBe(0);
  expect(new Set(screened(first)).size).toBe(4);
  expect(first.stdout).toContain('4 variants screened of 4 combinations (0 incorrect, 0 failed)');

  const { results } = benchFileSchema.parse(JSON.parse(await readFile(file('all.json'), 'utf8')));
  // The quickest of the finals, unless a duel found another quicker.
  const named = /^Winner: (.+)$/m.exec(first.stdout)?.[1];
  const winner = results.find(({ address, policy }) => address === named && policy === 'default');
  expect(winner).toMatchObject({ outcome: { kind: 'measured' } });
  expect(results.filter(({ policy }) => policy === 'screen')).toHaveLength(4);

  const saved = evidenceSchema.parse(JSON.parse(await readFile(file('best'), 'utf8')));
  expect(saved.measured).toMatchObject([
    { address: winner?.address, profile: 'default', found: { by: 'tuner', tried: 4 } },
  ]);

  // Duels are held again each time, and the default is measured in full only where it wins one.
  const again = await tune(...args, ...files);
  expect(screened(again)).toEqual(screened(first));
  expect(afresh(again).filter((trial) => tried(first).includes(trial))).toEqual([]);
  const kept = benchFileSchema.parse(JSON.parse(await readFile(file('all.json'), 'utf8')));
  expect(outcomes(kept.results)).toEqual(outcomes(results));
  expect(new Set(kept.results.map(({ runId }) => runId)).size).toBe(kept.results.length);

  // Cut off in the middle of a line: that trial alone is measured again.
  const trials = await readFile(file('trials'), 'utf8');
  const lines = trials.trimEnd().split('\n').reverse();
  await writeFile(file('trials'), lines.join('\n').slice(0, -30));
  const mended = await tune(...args, '--cache', file('trials'));
  expect(mended.stderr).toContain('the last line was cut off');
  expect(afresh(mended).filter((trial) => tried(first).includes(trial))).toEqual([tried(first)[0]]);
  expect((await readFile(file('trials'), 'utf8')).trimEnd().split('\n')).toHaveLength(
    lines.length - 1 + afresh(mended).length,
  );

  const [line = ''] = trials.split('\n');
  await writeFile(file('alien'), `${line.replace(/"device":"[^"]*"/, '"device":"else"')}\n`);
  const alien = await tune(...args, '--cache', file('alien'));
  expect(alien).toMatchObject({ code: 2, stderr: expect.stringContaining('trials of else') });
  await writeFile(file('broken'), `${line}\n{"device"\n${line}\n`);
  const broken = await tune(...args, '--cache', file('broken'));
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2 of') });
});

it('tune searches the kernel of a file', async () => {
  await writeFile(file('mine.wgsl'), kernelTemplate('mine'));
  // Its default alone, which is in no duel.
  const search = ['--tunable', 'BLOCK=16', '--shape', '48', '--budget', '3s'];
  const { code, stdout } = await tune('--wgsl', file('mine.wgsl'), ...search);
  expect(stdout).toMatch(/^Winner: \S*mine\S*\[BLOCK=16\]/m);
  expect(code).toBe(0);
});
