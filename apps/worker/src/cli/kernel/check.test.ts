import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Outcome } from '@tilemark/core';
import { admitKernel, kernelTemplate, runBattery } from '@tilemark/core/contributed';
import { shapeText, volume } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { batteryExit } from './check';

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
    text: `Wrote mine.wgsl: a naive kernel that passes. Next:\n  ${program} check mine.wgsl\n  ${duel} 512\n`,
  });
  expect(await readFile(join(folder, 'mine.wgsl'), 'utf8')).toBe(kernelTemplate('mine'));
  expect(await tilemark('kernel', 'new', 'mine')).toMatchObject({
    code: 2,
    text: expect.stringContaining('mine.wgsl already exists'),
  });
  expect(await tilemark('kernel', 'new', 'flipped', '--op', 'transpose')).toMatchObject({
    text: expect.stringContaining(' duel flipped.wgsl transpose/'),
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
  const fast = await tilemark('bench', '--wgsl', 'mine.wgsl', ...flags, '--profile', 'fast');
  expect(fast).toMatchObject({ code: 2, text: expect.stringContaining('profile default only') });
});

it('check tells where a kernel is wrong', async () => {
  await writeFile(join(folder, 'wrong.wgsl'), template.replace(SUM, `let oops = 1 + ;\n${SUM}`));
  const wrong = await tilemark('check', 'wrong.wgsl');
  expect(wrong.text).toMatch(new RegExp(`wrong\\.wgsl:${LINE}:\\d+: `));
  expect(wrong.code).toBe(5);
  await writeFile(join(folder, 'bad.wgsl'), template.replace('read_write> C', 'read> C'));
  expect(await tilemark('check', 'bad.wgsl')).toMatchObject({
    code: 2,
    text: expect.stringMatching(/^error: bad\.wgsl:\d+: C is C, the output/),
  });
  await writeFile(join(folder, 'raw.wgsl'), Buffer.from([0x2f, 0xff, 0xfe]));
  expect(await tilemark('duel', 'raw.wgsl', 'matmul/naive')).toMatchObject({
    code: 2,
    text: expect.stringContaining('UTF-8'),
  });
});

/** The template, changed, as a file of this name. */
const write = async (name: string, ...changes: [string, string][]) => {
  const source = changes.reduce((text, [from, to]) => text.replace(from, to), template);
  await writeFile(join(folder, `${name}.wgsl`), source);
  return `${name}.wgsl`;
};

/** Takes few of the shapes of the battery, which `kernel new` has whole. */
const FEW: [string, string] = [
  '"covers"',
  '"requires": [{ "that": "m == 17 || m == 48 || m == 64 || m == 333" }], "covers"',
];
const ONE_BLOCK = ['--tunable', 'BLOCK=8'];

it('a kernel that is wrong at the shape it is measured at alone is not right', async () => {
  const skipped = 'if (shape.m == 333u && row > 7u) { return; }';
  const path = await write('late', FEW, [SUM, `${skipped}\n${SUM}`]);
  const checked = await tilemark('check', path, '--shape', '333x8x8');
  expect(checked.text).toMatch(/333x8x8 f32: wrong: .* should be/);
  expect(checked.text).toContain('late.wgsl is wrong at 333x8x8');
  expect(checked.code).toBe(1);
});

it('a kernel that takes multiples is checked at odd multiples', async () => {
  const multiples: [string, string] = ['"covers"', '"multiples": { "n": 4 }, "covers"'];
  const four = await write('four', FEW, multiples);
  const right = await tilemark('check', four, '--shape', '64', ...ONE_BLOCK);
  expect(right.text).toContain('is right on this device, where n is a multiple of 4 and ');
  expect(right.text).toContain('17x32x5 f32');
  expect(right.code).toBe(0);
  const tail = 'if (BLOCK * (row / BLOCK + 1u) > shape.m) { return; }';
  const path = await write('tail', FEW, multiples, [SUM, `${tail}\n${SUM}`]);
  const wrong = await tilemark('check', path, ...ONE_BLOCK);
  expect(wrong.text).toContain('it was never written (check `covers`)');
  expect(wrong.code).toBe(1);
});

it('a kernel that clamps what it reads is wrong on outliers, and right as usual', async () => {
  const clamped = 'clamp(Acc(A[row * shape.k + p]), Acc(-4), Acc(4))';
  const path = await write('clamps', FEW, ['Acc(A[row * shape.k + p])', clamped]);
  const flags = [...ONE_BLOCK, '--shape', '48'];
  const wrong = await tilemark('check', path, '--regime', 'outliers', ...flags);
  expect(wrong.text).toMatch(/17x31x5 f32 +wrong/);
  expect(wrong.code).toBe(1);
  const own = await write('own', FEW);
  const right = await tilemark('check', own, '--regime', 'outliers', ...flags);
  expect(right.text).toContain('BLOCK=8');
  expect(right.text).not.toMatch(/BLOCK=(4|16)/);
  expect(right.text).toMatch(/own\.wgsl is right on this device, outliers, where .*\. Next:/);
  expect(right.code).toBe(0);
  const bench = ['--shape', '9', '--policy', 'smoke', '--regime', 'zeros'];
  const measured = await tilemark('bench', ...bench, '--wgsl', own);
  expect(measured.text).toContain('9 f32, blocks of zeros');
  const ours = await tilemark('bench', ...bench, '--kernel', 'matmul/naive');
  expect(ours.text).toMatch(/^error: --regime: needs --wgsl/);
});

it('check shows what the compiler remarks on a kernel that it takes, at its lines', async () => {
  const store = 'C[row * shape.n + col] = T(sum);';
  const remarked =
    'C[row * shape.n + col] = T(sum + 0 * subgroupMax(sum));\n  return;\n  C[0] = T(0);';
  const rule = 'diagnostic(info, subgroup_uniformity);\nstruct Shape {';
  const path = await write('remarked', FEW, ['struct Shape {', rule], [store, remarked]);
  const lines = (await readFile(join(folder, path), 'utf8')).split('\n');
  const at = (part: string) => `${path}:${lines.findIndex((line) => line.includes(part)) + 1}`;
  const { code, text } = await tilemark('check', path, '--shape', '48', ...ONE_BLOCK);
  expect(text.match(/code is unreachable/g)).toHaveLength(1);
  expect(text).toMatch(new RegExp(`^${at('C[0]')}:\\d+: warning: code is unreachable$`, 'm'));
  expect(text).toMatch(
    new RegExp(`^${at('subgroupMax')}:\\d+: note: 'subgroupMax' must only`, 'm'),
  );
  expect(code).toBe(0);
});

describe('a shape that is too slow here', () => {
  /** Each shape that was tried, and the exit code, where longer products than these are too slow. */
  async function exitWithin(most: number) {
    const contributed = await admitKernel({ author: 'ada', source: template });
    const checked = await runBattery(contributed, { BLOCK: [8] }, async (variant, problem) => {
      const isSlow = volume(problem) > most;
      const outcome = (
        isSlow
          ? { kind: 'failed', stage: 'prepare', message: 'takes 2 s per dispatch' }
          : { kind: 'measured' }
      ) as Outcome;
      return { variant, problem, outcome };
    });
    return { shapes: checked.map(({ problem }) => shapeText(problem)), exit: batteryExit(checked) };
  }

  it('is halved until it is not', async () => {
    const { exit, shapes } = await exitWithin(2 ** 18);
    const at = shapes.indexOf('130x258x66');
    expect(shapes.slice(at, at + 3)).toEqual(['130x258x66', '65x129x33', '33x65x17']);
    expect(exit).toBe(0);
  });

  it('leaves a kernel unchecked where all of them are', async () => {
    const { exit, shapes } = await exitWithin(0);
    expect(shapes).toEqual(['64', '32', '16', '8']);
    expect(exit).toBe(6);
  });
});

describe('check --baseline', () => {
  const flags = ['--shape', '64', '--tolerance', '0.9', ...ONE_BLOCK];
  const against = async (path: string, baseline: string) =>
    tilemark('check', path, '--baseline', baseline, ...flags);

  it('passes a right kernel beside a right one, with its error', async () => {
    const { code, text } = await against(await write('own', FEW), await write('base'));
    expect(text).toMatch(/\| 64 f32 \| \S+ \(\S+ to \S+\) \| [^|*]+ \| \S+ roundoffs \| yes \|/);
    expect(code).toBe(0);
  });

  const onSquares: [string, string] = [
    SUM,
    `if (shape.m != shape.n && row + col > 3u) { return; }\n${SUM}`,
  ];
  const broken: [string, string] = [SUM, `let oops = 1 + ;\n${SUM}`];
  const greedy: [string, string] = ['"covers"', '"workgroupBytes": 99000000, "covers"'];
  const slow: [string, string][] = [
    FEW,
    [SUM, `${SUM}\n  for (var again = 0u; again < 20u; again++) { sum = Acc(0);`],
    ['C[row', '}\n  C[row'],
  ];
  it.each<[string, [string, string][], [string, string][], number, RegExp]>([
    ['a kernel that is right on squares alone', [FEW, onSquares], [], 1, /17x31x5 f32 +wrong/],
    ['a kernel that does not compile', [broken], [], 5, /does not compile +own\.wgsl:\d+/],
    ['a kernel that is slower', slow, [], 4, /\*\*slower\*\*/],
    ['a kernel that runs nowhere', [greedy], [], 6, /1 f32 +needs more than this device has/],
    ['a wrong baseline', [FEW], [[SUM, `${SUM} sum = 1.0;`]], 6, /\*\*not compared\*\*: baseline/],
    ['a baseline that runs nowhere', [FEW], [greedy], 6, /\*\*not compared\*\*: baseline/],
  ])('does not pass %s', async (_name, own, base, exit, words) => {
    const { code, text } = await against(
      await write('own', ...own),
      await write('base', ['"mine"', '"base"'], ...base),
    );
    expect(text).toMatch(words);
    expect(code).toBe(exit);
  });
});
