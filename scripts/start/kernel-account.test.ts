import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contributedFlags } from './kernel-account';

let folder: string;
let program: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-account-'));
  program = join(folder, 'child.mjs');
  await writeFile(program, 'export {};\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('kernels that people bring run as a user other than root', async () => {
  await chmod(folder, 0o755);
  const { flags, refusal } = await contributedFlags(program);
  expect(refusal).toBeNull();
  expect(flags).toEqual([
    '--contributed',
    '--contributed-as',
    expect.stringMatching(/^[1-9]\d*:\d+$/),
  ]);
});

test.skipIf(!isRoot)('none are run where that user cannot read the program', async () => {
  await chmod(folder, 0o700);
  expect(await contributedFlags(program)).toEqual({
    flags: [],
    refusal: expect.stringContaining(`cannot read ${program}. Start the grid as another user`),
  });
});

test.skipIf(isRoot || process.platform === 'darwin')('others run them as themselves', async () => {
  expect(await contributedFlags(program)).toEqual({ flags: ['--contributed'], refusal: null });
});
