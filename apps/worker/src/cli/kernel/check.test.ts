import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { kernelTemplate } from '@tilemark/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

// A software GPU on a busy machine.

const bundle = useBundle();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-check-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const template = kernelTemplate('tried');
const SUM = 'var sum = Acc(0);';
const LINE = template.slice(0, template.indexOf(SUM)).split('\n').length;

/** Runs the bundled program as a shell would, in a folder of its own. */
const tilemark = (...args: string[]) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, TMPDIR: folder } };
    execFile(process.execPath, [bundle.main, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
  });

it('kernel new writes a kernel that check proves, and bench measures it', async () => {
  const near = relative(folder, bundle.main);
  const program = `node ${near.length < bundle.main.length ? near : bundle.main}`;
  const duel = `${program} duel mine.wgsl matmul/warp-tile --shape`;
  expect(await tilemark('kernel', 'new', 'mine')).toEqual({
    code: 0,
    text: `Wrote mine.wgsl: a naive matrix product that passes. Next:\n  ${program} check mine.wgsl\n  ${duel} 512\n`,
  });
  expect(await readFile(join(folder, 'mine.wgsl'), 'utf8')).toBe(kernelTemplate('mine'));
  expect(await tilemark('kernel', 'new', 'mine')).toMatchObject({
    code: 2,
    text: expect.stringContaining('mine.wgsl exists already'),
  });
  const checked = await tilemark('check', 'mine.wgsl', '--shape', '64');
  expect(checked.text).toContain(`mine.wgsl is right on this device. Next: ${duel} 64\n`);
  // No element of f32 has to be equal.
  expect(checked.text).toMatch(/ 1 f32 +right +0 roundoffs/);
  expect(checked.text).not.toContain('exact');
  expect(checked.text).not.toMatch(/incorrect|failed|skipped/);
  expect(checked.code).toBe(0);
  const flags = ['--shape', '48', '--policy', 'smoke', '--device', 'auto'];
  const bench = await tilemark('bench', '--wgsl', 'mine.wgsl', ...flags);
  expect(bench.text).toMatch(/local\/mine@[0-9a-f]{8}/);
  expect(bench.code).toBe(0);
  // Its default alone, which is in no duel.
  const tuned = await tilemark(
    ...['tune', '--wgsl', 'mine.wgsl', '--tunable', 'BLOCK=16', '--shape', '48'],
    ...['--budget', '3s', '--device', 'auto'],
  );
  expect(tuned.text).toMatch(/^Winner: \S*mine\S*\[BLOCK=16\]/m);
  expect(tuned.code).toBe(0);
  const some = await tilemark('check', 'mine.wgsl', '--tunable', 'BLOCK=4', '--shape', '48');
  expect(some.text).toContain('BLOCK=4');
  expect(some.text).not.toMatch(/BLOCK=(8|16)/);
  expect(some.code).toBe(0);
  const fast = await tilemark('bench', '--wgsl', 'mine.wgsl', ...flags, '--profile', 'fast');
  expect(fast).toMatchObject({ code: 2, text: expect.stringContaining('profile default only') });
});

it('check tells where a kernel is wrong', async () => {
  await writeFile(join(folder, 'wrong.wgsl'), template.replace(SUM, `let oops = 1 + ;\n${SUM}`));
  const wrong = await tilemark('check', 'wrong.wgsl');
  expect(wrong.text).toMatch(new RegExp(`wrong\\.wgsl:${LINE}:\\d+: `));
  expect(wrong.code).toBe(1);
  await writeFile(join(folder, 'bad.wgsl'), template.replace('read> A', 'read_write> A'));
  expect(await tilemark('check', 'bad.wgsl')).toMatchObject({
    code: 2,
    text: expect.stringMatching(/^error: bad\.wgsl:\d+: binding 0 of matmul is A/),
  });
  await writeFile(join(folder, 'raw.wgsl'), Buffer.from([0x2f, 0xff, 0xfe]));
  expect(await tilemark('duel', 'raw.wgsl', 'matmul/naive')).toMatchObject({
    code: 2,
    text: expect.stringContaining('UTF-8'),
  });
});
