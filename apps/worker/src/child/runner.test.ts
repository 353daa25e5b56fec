import {
  deviceKey,
  environmentSchema,
  outcomeSchema,
  recomputedDuel,
  type Step,
  takeTurns,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { afterEach, describe, expect, it } from 'vitest';
import { useBundle } from '../bundle.test-helper';
import { type DeviceReport, type MeasureInput, Runner } from './runner';

const bundle = useBundle();
const open: Runner[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.close()));
});

function runnerOf(device: string, watchdogMs?: number): Runner {
  const runner = new Runner({
    entry: bundle.child,
    device,
    ...(watchdogMs !== undefined && { watchdogMs }),
  });
  open.push(runner);
  return runner;
}

const quick: MeasureInput = {
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 8 } },
  problem: { op: 'matmul', shape: { m: 33, n: 17, k: 65 }, dtype: 'f32' },
  profile: 'default',
  policy: 'smoke',
};
/** Long enough to be hit in the middle. */
const long: MeasureInput = { ...quick, policy: 'default' };

describe('a runner of the first adapter', () => {
  it('gives each occasion a process that has run nothing, and its runs the same', async () => {
    const runner = runnerOf('0');
    const pidOf = async (occasion?: string) => {
      let pid: number | undefined;
      const onStep = () => {
        pid = runner.pid;
      };
      await runner.run({ ...quick, ...(occasion && { occasion }) }, { onStep });
      return pid;
    };
    const pids = [
      await pidOf(),
      await pidOf('a'),
      await pidOf('a'),
      await pidOf(),
      await pidOf('b'),
    ];
    const [any, first, second, between, other] = pids;
    expect(new Set([any, first, other]).size).toBe(3);
    expect([second, between]).toEqual([first, first]);
  });

  it('measures in a child and reports outcome, environment and source', async () => {
    const steps: Step[] = [];
    const runner = runnerOf('0');
    const { outcome, environment, wgsl } = await runner.run(quick, {
      onStep: (step) => steps.push(step),
    });
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: { timer: { kind: 'timestamp' }, policy: 'smoke' },
    });
    expect(outcomeSchema.parse(outcome)).toEqual(outcome);
    expect(environmentSchema.parse(environment)).toEqual(environment);
    expect(environment.toggles.disabled).toContain('timestamp_quantization');
    expect(environment.driver).not.toBe('');
    expect(wgsl).toContain('const TILE: u32 = 8u;');
    expect(steps.at(-1)).toBe('hot');
  });

  it('measures a batch with a source of its own, and skips what takes none', async () => {
    const runner = runnerOf('0');
    const shape = { b: 3, m: 33, n: 17, k: 65 };
    const batch: MeasureInput = { ...quick, problem: { op: 'matmul', shape, dtype: 'f32' } };
    const { outcome, wgsl } = await runner.run(batch);
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: { verification: { before: { method: 'device' } } },
    });
    expect(wgsl).toContain('product * shape.m');
    const variant = { kernel: 'matmul/split-k', tunables: {} };
    expect((await runner.run({ ...batch, variant })).outcome).toEqual({
      kind: 'skipped',
      why: 'computes one product per dispatch, not a batch',
    });
  });

  it('keeps its child from run to run, and has one for each profile', async () => {
    const runner = runnerOf('0');
    const pids: (number | undefined)[] = [];
    const notePid = {
      onStep: (step: Step) => void (step === 'cold' && pids.push(runner.pid)),
    };
    await runner.run(quick, notePid);
    const { environment } = await runner.run({ ...quick, profile: 'fast' }, notePid);
    await runner.run(quick, notePid);
    expect(pids[2]).toBe(pids[0]);
    expect(pids[1]).not.toBe(pids[0]);
    expect(environment.profile).toBe('fast');
    expect(environment.toggles.enabled).toContain('disable_robustness');
  });

  it('records a child killed in the middle of a run, and measures the next one', async () => {
    const runner = runnerOf('0');
    const { outcome } = await runner.run(long, {
      onStep: (step) => {
        if (step === 'cold') process.kill(runner.pid ?? 0, 'SIGKILL');
      },
    });
    expect(outcome).toEqual({
      kind: 'failed',
      stage: 'device',
      message: expect.stringMatching(/ended by SIGKILL at step: cold/),
    });
    expect((await runner.run(quick)).outcome.kind).toBe('measured');
  });

  it('compiles the next run meanwhile, and does not say how long that took', async () => {
    const runner = runnerOf('0');
    const next = { ...quick, variant: { kernel: 'matmul/tiled', tunables: { TILE: 4 } } };
    const compileNs = ({ outcome }: DeviceReport) =>
      outcome.kind === 'measured' ? outcome.measurement.compileNs : undefined;
    expect(compileNs(await runner.run(quick, { ahead: [next] }))).toBeGreaterThan(0);
    expect(compileNs(await runner.run(next))).toBeNull();
  });

  it('measures a run again, alone, whose child died beside the next', async () => {
    for (const deaths of [1, 2]) {
      const runner = runnerOf('0');
      const pids: (number | undefined)[] = [];
      const { outcome } = await runner.run(quick, {
        ahead: [long],
        onStep: (step) => {
          if (step !== 'cold') return;
          pids.push(runner.pid);
          if (pids.length <= deaths) process.kill(runner.pid ?? 0, 'SIGKILL');
        },
      });
      expect(outcome.kind).toBe(deaths === 1 ? 'measured' : 'failed');
      expect(new Set(pids).size).toBe(2);
    }
  });

  it('does not restart a child that was ended by closing', async () => {
    const runner = runnerOf('0');
    let closed: Promise<void> | undefined;
    const pids = new Set<number | undefined>();
    const { outcome } = await runner.run(quick, {
      ahead: [long],
      onStep: (step) => {
        pids.add(runner.pid);
        if (step === 'cold') closed ??= runner.close();
      },
    });
    await closed;
    expect(outcome.kind).toBe('failed');
    expect(pids.size).toBe(1);
  });

  it('does not blame a run for a child that died before it', async () => {
    const runner = runnerOf('0');
    let pid = 0;
    await runner.run(quick, {
      onStep: () => {
        pid = runner.pid ?? 0;
      },
    });
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    expect((await runner.run(quick)).outcome.kind).toBe('measured');
  });

  it('ends a child that gives no sign of life, and measures the next run', async () => {
    const runner = runnerOf('0', 10_000);
    const { outcome } = await runner.run(long, {
      onStep: (step) => {
        if (step === 'warm-up') process.kill(runner.pid ?? 0, 'SIGSTOP');
      },
    });
    expect(outcome).toEqual({
      kind: 'failed',
      stage: 'device',
      message: expect.stringMatching(/no answer for 10 s at step: warm-up/),
    });
    expect((await runner.run(quick)).outcome.kind).toBe('measured');
  });

  it('throws when aborted in the middle of a run or before it, and measures the next one', async () => {
    const runner = runnerOf('0');
    const abort = new AbortController();
    const onStep = (step: Step) => step === 'cold' && abort.abort(new Error('enough'));
    const { signal } = abort;
    await expect(runner.run(long, { onStep: (step) => void onStep(step), signal })).rejects.toThrow(
      'enough',
    );
    await expect(runner.run(quick, { signal })).rejects.toThrow('enough');
    expect((await runner.run(quick)).outcome.kind).toBe('measured');
  });

  it('skips what the device cannot run', async () => {
    const { outcome } = await runnerOf('0').run({
      ...quick,
      variant: { kernel: 'matmul/naive', tunables: {} },
      problem: { op: 'matmul', shape: { m: 65_536, n: 16_384, k: 1 }, dtype: 'f32' },
    });
    expect(outcome).toMatchObject({ kind: 'skipped', why: expect.stringMatching(/one buffer/) });
  });
});

describe('a duel of two processes', () => {
  const { variant, problem, profile } = quick;
  const nowNs = () => performance.now() * 1e6;
  const opening =
    (runner: Runner, tunables = variant.tunables) =>
    () =>
      runner.side(profile, { variant: { ...variant, tunables }, problem, seed: 7 });

  it('takes turns between them', async () => {
    const [a, b] = [runnerOf('0'), runnerOf('0')];
    const outcome = await takeTurns(
      { a: opening(a), b: opening(b) },
      { seed: 7, nowNs, longestNs: 0.1e9 },
    );
    if (outcome.kind !== 'dueled') throw new Error(JSON.stringify(outcome));
    const { duel } = outcome;
    expect(duel.a.samplesNs).toHaveLength(2 * duel.rounds);
    expect(recomputedDuel(duel, 'duel').ratio).toBeCloseTo(duel.ratio, 9);
  });

  it('ends for the one that cannot be measured, or whose process dies', async () => {
    const unknown = new Runner({ entry: bundle.child, device: '0', release: '/nowhere' });
    open.push(unknown);
    const ended = await takeTurns(
      { a: opening(runnerOf('0')), b: opening(unknown) },
      { seed: 7, nowNs },
    );
    expect(ended).toMatchObject({
      kind: 'ended',
      side: 'b',
      outcome: { kind: 'failed', stage: 'device', message: expect.stringMatching(/nowhere/) },
    });
    const [a, b] = [runnerOf('0'), runnerOf('0')];
    const dying = opening(b, { TILE: 16 });
    const died = await takeTurns(
      {
        a: opening(a),
        b: async () => {
          const side = await dying();
          await b.close();
          return side;
        },
      },
      { seed: 7, nowNs },
    );
    expect(died).toMatchObject({
      kind: 'ended',
      side: 'b',
      outcome: { kind: 'failed', stage: 'device' },
    });
  });
});

describe('a runner of the host CPU', () => {
  it('measures host kernels by the wall clock and has no source', async () => {
    const { outcome, environment, wgsl } = await runnerOf('cpu').run({
      ...quick,
      variant: { kernel: 'matmul/cpu-naive', tunables: {} },
    });
    expect(outcome).toMatchObject({ kind: 'measured', measurement: { timer: { kind: 'wall' } } });
    expect(environment.device).toMatchObject({ class: 'cpu', backend: 'host', runtime: 'node' });
    expect(deviceKey(environment.device)).toMatch(/-host-node$/);
    expect(wgsl).toBeNull();
  });
});

it('names the devices there are when asked for another', async () => {
  const failure = await runnerOf('9')
    .open('default')
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InputError);
  expect(failure).toMatchObject({
    field: '--device',
    message: expect.stringMatching(/0 \(.+\), cpu/),
  });
});

/** Waits until this process, its parent, has seen a child's end. */
async function gone(pid: number): Promise<void> {
  const runs = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (runs()) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
