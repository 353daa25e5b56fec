import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFileSchema, tunedFileSchema } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { compilesAhead } from './tune';

const bundle = useBundle();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-tune-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bundled program as a shell would. */
function tune(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bundle.main, 'tune', ...args],
      { env: { ...process.env, TMPDIR: folder } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

const NAIVE = ['--op', 'transpose', '--shape', '64x32', '--kernel', 'transpose/naive'];

/** The table, without the duels that follow it: those are held again each time. */
const measured = ({ stdout }: Ended) => stdout.split(/^(?:Duel|Winner): /m)[0];

/** Variants in the order they were tried, without their figures. */
const tried = ({ stderr }: Ended) =>
  [...stderr.matchAll(/, screen: ([^:]+):/g)].map(([, address]) => address);

describe('tilemark tune', () => {
  // The finals and their duels take many seconds each.
  it('tries a space, writes results, saves the winner, and goes on from its cache', {
    timeout: 240_000,
  }, async () => {
    const file = (name: string) => join(folder, name);
    const args = [...NAIVE, '--tunable', 'BLOCK=4,8', '--budget', '1h'];
    const files = ['--cache', file('trials'), '--json', file('all.json'), '--save', file('best')];
    const first = await tune(...args, ...files);
    expect(first.stderr).not.toContain('from the cache');
    expect(first.code).toBe(0);
    expect(new Set(tried(first)).size).toBe(4);
    expect(first.stdout).toContain('4 variants screened of 4 combinations (0 incorrect, 0 failed)');

    const { results } = benchFileSchema.parse(JSON.parse(await readFile(file('all.json'), 'utf8')));
    // The quickest of the finals, unless a duel found another quicker.
    const named = /^Winner: (.+)$/m.exec(first.stdout)?.[1];
    const winner = results.find(({ address }) => address === named);
    expect(winner).toMatchObject({ policy: 'default', outcome: { kind: 'measured' } });
    expect(results.filter(({ policy }) => policy === 'screen')).toHaveLength(4);

    const saved = tunedFileSchema.parse(JSON.parse(await readFile(file('best'), 'utf8')));
    expect(saved.variants).toMatchObject([
      { address: winner?.address, profile: 'default', found: { by: 'tuner', tried: 4 } },
    ]);

    const again = await tune(...args, ...files);
    expect(tried(again)).toEqual(tried(first));
    expect(again.stderr.match(/from the cache/g)).toHaveLength(results.length);
    expect(measured(again)).toBe(measured(first));

    // Cut off in the middle of a line: that trial alone is measured again.
    const trials = await readFile(file('trials'), 'utf8');
    await writeFile(file('trials'), trials.slice(0, -30));
    const mended = await tune(...args, '--cache', file('trials'));
    expect(mended.stderr).toContain('the last line was cut off');
    expect(mended.stderr.match(/from the cache/g)).toHaveLength(results.length - 1);
    expect((await readFile(file('trials'), 'utf8')).trimEnd().split('\n')).toHaveLength(
      results.length,
    );

    const [line = ''] = trials.split('\n');
    await writeFile(file('alien'), `${line.replace(/"device":"[^"]*"/, '"device":"else"')}\n`);
    const alien = await tune(...args, '--cache', file('alien'));
    expect(alien).toMatchObject({ code: 2, stderr: expect.stringContaining('trials of else') });
    await writeFile(file('broken'), `${line}\n{"device"\n${line}\n`);
    const broken = await tune(...args, '--cache', file('broken'));
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2 of') });
  });

  it.each([
    ['no op', [], /--op/],
    ['an unknown op', ['--op', 'sum'], /--op .*matmul, transpose/],
    ['a budget without a unit', [...NAIVE, '--budget', '5'], /--budget .*90s, 5m/],
    ['a kernel of another op', [...NAIVE, 'matmul/tiled'], /--kernel: .*computes matmul/],
    ['a name without a value', [...NAIVE, '--tunable', 'BLOCK'], /--tunable: .*NAME=VALUE/],
    ['a value that is not declared', [...NAIVE, '--tunable', 'BLOCK=5'], /--tunable: .*1, 2, 4/],
    ['a tunable that no kernel has', [...NAIVE, '--tunable', 'X=5'], /--tunable: .*BLOCK/],
    ['a host kernel on a GPU', ['--op', 'matmul', '--kernel', 'matmul/cpu-naive'], /--kernel: /],
    ['an invalid seed', [...NAIVE, '--seed', 'x'], /--seed /],
  ])('refuses %s with one line and code 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await tune(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

it.each([
  ['gpu', ['timestamp-query'], true],
  ['gpu', ['shader-f16'], false],
  ['software', ['timestamp-query'], false],
  ['cpu', [], false],
] as const)(
  'compiling ahead on a device of class %s with %j: %s',
  (deviceClass, features, expected) => {
    const device = { identity: { class: deviceClass }, capabilities: { features: [...features] } };
    expect(compilesAhead(device)).toBe(expected);
  },
);
