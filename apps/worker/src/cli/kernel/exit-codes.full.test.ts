import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelTemplate } from '@tilemark/core/contributed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

/** The exit code of `check` for what becomes of a kernel, and of its baseline. */

const bundle = useBundle();
let folder: string;

const KINDS = ['right', 'wrong', 'skipped', 'failed'] as const;
type Kind = (typeof KINDS)[number];

/** Each takes one shape alone, so that its battery is short. */
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

it('a transpose as `kernel new --op transpose` writes it is right', async () => {
  await writeFile(join(folder, 'flipped.wgsl'), kernelTemplate('flipped', 'transpose'));
  const { code, text } = await check('flipped.wgsl', '--shape', '64x48');
  expect(text).toContain('flipped.wgsl is right on this device.');
  expect(code).toBe(0);
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

it('the scale up to which a kernel is right is told, and what made another wrong', async () => {
  const source = kernelTemplate('hinted').replace(
    '"covers"',
    `"requires": [${ONE_SHAPE}], "covers"`,
  );
  const run = async (...changes: [string, string][]) => {
    const text = changes.reduce((wgsl, [from, to]) => wgsl.replace(from, to), source);
    await writeFile(join(folder, 'hinted.wgsl'), text);
    return (await check('hinted.wgsl', '--shape', '64', '--tunable', 'BLOCK=8')).text;
  };
  const figures = await run();
  expect(figures).toContain('f32: right up to |x| = 2^48, the largest tried\n');
  expect(figures).toContain('f32: right up to outliers of 2^48, the largest tried\n');
  const f16: [string, string] = ['"f32"', '"f16acc16"'];
  expect(await run(f16)).toMatch(/right up to \|x\| = 2\^[3-7]: f16 sums overflow beyond/);
  const [READ, STORE] = ['B[p * shape.n + col]', 'C[row * shape.n + col] ='];
  expect(await run([READ, 'B[col * shape.k + p]'])).toContain('Hint: it computes C = A x B^T');
  expect(await run([READ, 'B[p * shape.n + col + shape.k * shape.n]'])).toContain(
    'Hint: NaN lies behind the inputs: a read past the end of A or B?',
  );
  const loop = 'for (var i = 1u; i < 3u; i++) { var part: Acc; part += sum; all += part / 2.0; }';
  expect(await run([STORE, `var all = 0.0;\n${loop}\n${STORE}`], ['= T(sum)', '= T(all)'])).toMatch(
    /Hint: line \d+ has a variable that is declared in a loop without a value: this device/,
  );
});

it('an endless loop is too slow, not wrong', async () => {
  const endless =
    'var turns = 1u;\n  while (turns != 0u) { turns = turns | 1u; C[0] += T(turns); }';
  const source = kernelTemplate('endless').replace(SUM, `${endless}\n${SUM}`);
  await writeFile(join(folder, 'endless.wgsl'), source);
  const { code, text } = await check('endless.wgsl');
  expect(text).toMatch(/64 f32 +too slow here/);
  expect(text).not.toMatch(/wrong|right/);
  expect(code).toBe(6);
});
