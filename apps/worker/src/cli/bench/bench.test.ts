import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFileSchema } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';

const bundle = useBundle();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-bench-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bundled program as a shell would. */
function tilemark(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bundle.main, ...args],
      // A temporary folder of its own, and with it a machine lock of its own.
      { env: { ...process.env, TMPDIR: folder, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

const SHAPE = ['--shape', '48x33x17', '--policy', 'smoke'];

describe('tilemark bench', () => {
  it('measures kernels on the adapter and the CPU, and writes table, JSON and CSV', async () => {
    const json = join(folder, 'results.json');
    const csv = join(folder, 'results.csv');
    const { code, stdout, stderr } = await tilemark([
      'bench',
      '--kernel',
      'matmul/naive',
      'matmul/cpu-naive',
      ...SHAPE,
      '--json',
      json,
      '--csv',
      csv,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('2/2') });
    expect(stdout).toContain('matmul/naive ');
    expect(stdout).toContain('GFLOP/s');
    // Five samples have no 95% interval.
    expect(stdout).toMatch(/median +range +rate/);
    expect(stdout).not.toContain('95%');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

    const file = benchFileSchema.parse(JSON.parse(await readFile(json, 'utf8')));
    expect(file.results.map(({ device, outcome }) => [device.class, outcome?.kind])).toEqual([
      ['software', 'measured'],
      ['cpu', 'measured'],
    ]);
    expect(file.environment.device.class).toBe('software');
    expect(file.environments.map(({ device }) => device.class)).toEqual(['cpu']);

    const lines = (await readFile(csv, 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('variant,BLOCK,MAPPING,op,shape,b,m,n,k,dtype');
    expect(lines[1]).toContain(
      '"matmul/naive[BLOCK=16,MAPPING=col-x]",16,col-x,matmul,48x33x17,,48,33,17,f32',
    );
  });

  it('tries every value of a tunable, and says why one is skipped', async () => {
    const { code, stdout } = await tilemark([
      'bench',
      '--kernel',
      'matmul/tiled',
      '--tunable',
      'TILE=8,16',
      ...SHAPE,
      '--device',
      '0',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('matmul/tiled[TILE=8]');
    expect(stdout).toContain('matmul/tiled ');
  });

  it('reads tunables in one list as in several', async () => {
    const variant = ['--tunable', 'TILE=4,8,UNROLL=2'];
    const { code, stdout } = await tilemark([
      'bench',
      '--kernel',
      'matmul/tiled',
      ...variant,
      ...SHAPE,
      '--device',
      '0',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('matmul/tiled[TILE=4,UNROLL=2]');
    expect(stdout).toContain('matmul/tiled[TILE=8,UNROLL=2]');
  });

  it('gives a tunable to the kernels that have it, and tells workgroups apart by occupancy', async () => {
    const kernels = ['--kernel', 'matmul/naive', 'matmul/tiled', '--tunable', 'TILE=8'];
    const { code, stdout } = await tilemark(['bench', ...kernels, ...SHAPE, '--device', '0'], {
      COLUMNS: '200',
    });
    expect(code).toBe(0);
    expect(stdout).toContain('matmul/naive ');
    expect(stdout).toContain('matmul/tiled[TILE=8]');
    expect(stdout).toMatch(/occupancy[\s\S]*unknown/);
  });

  it('keeps what it has measured when it is killed', async () => {
    const json = join(folder, 'killed.json');
    const screen = ['--policy', 'screen', '--json', json];
    // The third goes on for seconds.
    const runs = ['--kernel', 'matmul/cpu-naive', '--shape', '16,17,1024,1025', '--device', 'cpu'];
    const killed = execFile(process.execPath, [bundle.main, 'bench', ...runs, ...screen], {
      env: { ...process.env, TMPDIR: folder },
    });
    let stderr = '';
    killed.stderr?.on('data', (text: string) => {
      stderr += text;
      if (stderr.includes('2/4')) killed.kill('SIGKILL');
    });
    await new Promise((resolve) => killed.once('close', resolve));
    const file = benchFileSchema.parse(JSON.parse(await readFile(json, 'utf8')));
    expect(file.results.map(({ outcome }) => outcome?.kind)).toEqual(['measured', 'measured']);
  });

  it.each([
    ['a shape of nothing', ['--kernel', 'matmul/naive', '--shape', '0'], /--shape: '0' is not/],
    [
      'a parameter out of range',
      ['--suite', 'layouts', '--param', 'n=0'],
      /^error: --param n: .*16 to/,
    ],
    [
      'a tunable that no kernel has',
      ['--kernel', 'matmul/naive', 'matmul/tiled', '--tunable', 'WPT=2'],
      /no tunable WPT.*BLOCK.*TILE/,
    ],
    [
      'a file in no folder',
      ['--json', '/nonexistent/out.json'],
      /--json: cannot write \/nonexistent/,
    ],
    ['a table in no folder', ['--csv', '/nonexistent/out.csv'], /--csv: cannot write/],
    ['an unknown suite', ['--suite', 'nope'], /^error: --suite: .*starter/],
    ['an unknown kernel', ['--kernel', 'matmul/nope'], /kernel: .*matmul\/naive/],
    [
      'an undeclared value',
      ['--kernel', 'matmul/naive', '--tunable', 'BLOCK=17'],
      /BLOCK.*1, 2, 4/,
    ],
    ['what is not an assignment', ['--kernel', 'matmul/naive', '--tunable', 'BLOCK'], /NAME=VALUE/],
    ['a shape of another op', ['--kernel', 'matmul/naive', '--shape', '4x4'], /--shape: .*MxNxK/],
    ['an unknown dtype', ['--kernel', 'matmul/naive', '--dtype', 'f64'], /^error: --dtype: .*f32/],
    ['an unknown profile', ['--profile', 'quick'], /^error: --profile: .*fast/],
    ['a tunable beside a suite', ['--suite', 'starter', '--tunable', 'A=1'], /--tunable: /],
    ['an unknown device', ['--device', '7'], /^error: --device: .*0 \(/],
    ['an unknown flag', ['--kernal', 'x'], /--kernal/],
  ])('refuses %s with one line and code 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await tilemark(['bench', ...args]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.split('\n')[0]).toMatch(message);
  });
});

describe('tilemark devices', () => {
  it('lists the adapter and the CPU', async () => {
    const { code, stdout, stderr } = await tilemark(['devices']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/0 .*software .*vulkan/);
    expect(stdout).toMatch(/cpu .*cpu .*host/);
  });

  it('lists the CPU where there is no driver, and says what to install', async () => {
    const { code, stdout } = await tilemark(['devices'], { VK_DRIVER_FILES: '/nonexistent' });
    expect(code).toBe(0);
    expect(stdout).not.toContain('llvmpipe');
    expect(stdout).toMatch(/cpu .*host/);
    expect(stdout).toContain('mesa-vulkan-drivers');
  });
});

it('benches the CPU alone where there is no driver', async () => {
  const { code, stdout } = await tilemark(
    ['bench', '--kernel', 'transpose/cpu-naive', '--shape', '65x33', '--policy', 'smoke'],
    { VK_DRIVER_FILES: '/nonexistent' },
  );
  expect(code).toBe(0);
  expect(stdout).toContain('transpose/cpu-naive');
});
