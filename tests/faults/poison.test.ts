import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type MeasureOptions, Runner } from '../../apps/worker/src/child/runner';
import { registerPoison } from './poison-kernels';

/** Kernels that harm, through the process that owns a device as it ships. */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
// Below node_modules, to find `webgpu`.
const folder = join(root, 'node_modules', '.cache', `tilemark-poison-${randomUUID()}`);
const runners: Runner[] = [];

beforeAll(async () => {
  registerPoison();
  await build({
    absWorkingDir: root,
    entryPoints: { child: 'tests/faults/poison-child.ts', thread: 'apps/worker/src/thread.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    loader: { '.wgsl': 'text' },
    external: ['webgpu'],
    logLevel: 'warning',
  });
});
afterEach(() => Promise.all(runners.splice(0).map((runner) => runner.close())));
afterAll(() => rm(folder, { recursive: true, force: true }));

function open(watchdogMs = 60_000): Runner {
  const runner = new Runner({
    entry: pathToFileURL(join(folder, 'child.mjs')),
    device: '0',
    watchdogMs,
  });
  runners.push(runner);
  return runner;
}

const run = (
  runner: Runner,
  kernel: string,
  n = 64,
  policy: 'smoke' | 'default' = 'smoke',
  options: MeasureOptions = {},
) =>
  runner.run(
    {
      variant: { kernel: `matmul/${kernel}`, tunables: {} },
      problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
      profile: 'default',
      policy,
    },
    options,
  );

/** After whatever happened, the next run is measured. */
async function isWell(runner: Runner): Promise<void> {
  expect((await run(runner, 'naive')).outcome.kind).toBe('measured');
}

it('a kernel that does not compile fails at that stage and says why', async () => {
  const runner = open();
  const { outcome } = await run(runner, 'poison-broken');
  expect(outcome).toMatchObject({ kind: 'failed', stage: 'compile' });
  await isWell(runner);
});

it('a kernel whose output is NaN is incorrect', async () => {
  const runner = open();
  const { outcome } = await run(runner, 'poison-nan');
  expect(outcome).toMatchObject({ kind: 'incorrect', when: 'before', worst: { got: 'NaN' } });
  await isWell(runner);
});

it('a kernel that writes past its output is caught by the canary', async () => {
  const runner = open();
  const { outcome } = await run(runner, 'poison-out-of-bounds');
  expect(outcome).toMatchObject({ kind: 'failed', stage: 'verify' });
  await isWell(runner);
});

it('a kernel without end is ended by the watchdog', async () => {
  const runner = open(15_000);
  const { outcome } = await run(runner, 'poison-endless');
  expect(outcome).toMatchObject({
    kind: 'failed',
    stage: 'device',
    message: expect.stringMatching(/no answer for 15 s/),
  });
  await isWell(runner);
});

it('a kernel that takes long to compile is measured all the same', async () => {
  const runner = open();
  expect((await run(runner, 'poison-slow-to-compile')).outcome.kind).toBe('measured');
});

it('a kernel that takes longer to compile than the watchdog waits is ended', async () => {
  const runner = open(15_000);
  const { outcome } = await run(runner, 'poison-slower-to-compile');
  expect(outcome).toMatchObject({
    kind: 'failed',
    stage: 'device',
    message: expect.stringMatching(/no answer for 15 s at step: compile/),
  });
  await isWell(runner);
});

it('a device that is lost in the middle of a run is opened again for the next one', async () => {
  const runner = open();
  const { outcome } = await run(runner, 'poison-lost', 256, 'default');
  expect(outcome).toMatchObject({
    kind: 'failed',
    stage: 'device',
    message: expect.stringMatching(/the device was lost/),
  });
  await isWell(runner);
});

it('a device whose memory runs out fails the run, and the next one is measured', async () => {
  const runner = open();
  await isWell(runner);
  // llvmpipe's memory is the process's own, which gets little more than it has.
  const spare = 32 * 2 ** 20;
  let isLimited = false;
  const { outcome } = await run(runner, 'naive', 2_048, 'smoke', {
    onStep: () => {
      if (isLimited || !runner.pid) return;
      isLimited = true;
      const status = readFileSync(`/proc/${runner.pid}/status`, 'utf8');
      const bytes = Number(/VmSize:\s+(\d+)/.exec(status)?.[1]) * 1_024 + spare;
      execFileSync('prlimit', ['--pid', String(runner.pid), `--as=${bytes}`]);
    },
  });
  expect(isLimited).toBe(true);
  expect(outcome).toMatchObject({ kind: 'failed', stage: 'device' });
  await isWell(runner);
});

it('a kernel that works only while it is looked at is not ranked', async () => {
  const runner = open();
  const { outcome } = await run(runner, 'poison-idle', 512, 'default');
  if (outcome.kind === 'measured') expect(outcome.measurement.unranked).not.toBeNull();
  else expect(outcome.kind).toBe('incorrect');
  await isWell(runner);
});
