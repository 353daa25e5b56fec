import { readFile, writeFile } from 'node:fs/promises';
import { benchFileSchema, evidenceSchema } from '@tilemark/core';
import { kernelTemplate } from '@tilemark/core/contributed';
import { expect, it } from 'vitest';
import { NAIVE, useTune } from './tune.test-helper';

const { tune, file } = useTune();

it('tune tries a space, writes results, and saves the winner', async () => {
  const args = [...NAIVE, '--tunable', 'BLOCK=4,8', '--budget', '1h'];
  const files = ['--json', file('all.json'), '--save', file('best')];
  const first = await tune(...args, ...files);
  expect(first.code).toBe(0);
  const screened = [...first.stderr.matchAll(/^\d+ at \d+ s, screen: ([^:]+): .*$/gm)];
  expect(new Set(screened.map(([, address]) => address)).size).toBe(4);
  expect(first.stdout).toContain('4 variants screened of 4 combinations (0 incorrect, 0 failed)');

  const { results } = benchFileSchema.parse(JSON.parse(await readFile(file('all.json'), 'utf8')));
  // The quickest of the finals, unless a duel found another quicker.
  const named = /^Winner: (.+)$/m.exec(first.stdout)?.[1];
  const winner = results.find(({ address, policy }) => address === named && policy === 'default');
  expect(winner).toMatchObject({ outcome: { kind: 'measured' } });
  expect(results.filter(({ policy }) => policy === 'screen')).toHaveLength(4);

  const saved = evidenceSchema.parse(JSON.parse(await readFile(file('best'), 'utf8')));
  expect(saved.measured).toMatchObject([
    { address: winner?.address, profile: 'default', origin: { by: 'tuner', tried: 4 } },
  ]);
});

it('tune searches the kernel of a file', async () => {
  await writeFile(file('mine.wgsl'), kernelTemplate('mine'));
  // Its default alone, which is in no duel.
  const search = ['--tunable', 'BLOCK=16', '--shape', '48', '--budget', '3s'];
  const { code, stdout } = await tune('--wgsl', file('mine.wgsl'), ...search);
  expect(stdout).toMatch(/^Winner: \S*mine\S*\[BLOCK=16\]/m);
  expect(code).toBe(0);
});
