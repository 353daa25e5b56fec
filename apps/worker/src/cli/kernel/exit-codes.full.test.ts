import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelTemplate } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

/** The exit code of `check` for what becomes of a kernel, and of its baseline. */

const bundle = useBundle();
let folder: string;

const KINDS = ['right', 'wrong', 'skipped', 'failed'] as const;
type Kind = (typeof KINDS)[number];

/** Each takes one shape alone, so that its proof is short. */
const [SUM, COVERS] = ['var sum = Acc(0);', '"covers"'];
const ONE_SHAPE = ['m', 'n', 'k'].map((side) => `{ "that": "${side} == 64" }`).join(', ');
const CHANGES: Readonly<Record<Kind, readonly (readonly [from: string, to: string])[]>> = {
  right: [],
  wrong: [[SUM, `${SUM} sum = 1.0;`]],
  skipped: [[COVERS, `"workgroupBytes": 99000000, ${COVERS}`]],
  failed: [[SUM, `let oops = 1 + ;\n${SUM}`]],
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-exit-codes-'));
  for (const role of ['own', 'base']) {
    for (const kind of KINDS) {
      const template = kernelTemplate(`${role}-${kind}`);
      const changes = [
        ...CHANGES[kind],
        [COVERS, `"requires": [${ONE_SHAPE}], ${COVERS}`] as const,
      ];
      const source = changes.reduce((text, [from, to]) => text.replace(from, to), template);
      await writeFile(join(folder, `${role}-${kind}.wgsl`), source);
    }
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const check = (...args: readonly string[]) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, TMPDIR: folder } };
    execFile(process.execPath, [bundle.main, 'check', ...args], options, (error, text) =>
      resolve({ code: error ? Number(error.code) : 0, text }),
    );
  });

describe.each<[Kind, Readonly<Record<Kind, number>>]>([
  ['right', { right: 0, wrong: 6, skipped: 6, failed: 6 }],
  ['wrong', { right: 1, wrong: 1, skipped: 1, failed: 1 }],
  ['skipped', { right: 6, wrong: 6, skipped: 6, failed: 6 }],
  ['failed', { right: 5, wrong: 5, skipped: 5, failed: 5 }],
])('a kernel that is %s', (own, exits) => {
  it.each(KINDS)('beside a baseline that is %s', async (base) => {
    const files = [`own-${own}.wgsl`, '--baseline', `base-${base}.wgsl`];
    const flags = ['--shape', '64', '--tunable', 'BLOCK=8', '--tolerance', '0.9'];
    const { code } = await check(...files, ...flags);
    expect(code).toBe(exits[base]);
  });
});

it('an endless loop is too slow, not wrong', async () => {
  const endless =
    'var turns = 1u;\n  while (turns != 0u) { turns = turns | 1u; C[0] += T(turns); }';
  const source = kernelTemplate('endless').replace(SUM, `${endless}\n${SUM}`);
  await writeFile(join(folder, 'endless.wgsl'), source);
  const { code, text } = await check('endless.wgsl');
  expect(text).toMatch(/1 f32 +too slow here/);
  expect(text).not.toMatch(/wrong|right/);
  expect(code).toBe(6);
});
