import { fork } from 'node:child_process';
import { bufferSetsFor, Checks, POLICIES, Roofline, runVariant, type Step } from '@tilemark/core';
import {
  bufferBytes,
  bytesText,
  type Executor,
  type HostPool,
  type Variant,
} from '@tilemark/kernels';
import type { OpenDevice } from '../device/device';
import { chooseDevice, openDevice } from '../device/select';
import { createThreadPool } from '../device/thread-pool';
import { table } from '../table';
import { percentText } from '../units';
import { type ReferenceCost, square, type VerificationCost } from './verification';

/** What measuring itself may cost: shares of one, s, bytes and ms. */
const LIMITS = { share: 0.2, verificationS: 1.5, peakBytes: 2 ** 30, prepareMs: 100 };

/** Sizes whose verification is a share of a run; a software adapter takes minutes for one product. */
const SIZES = { gpu: [2048, 4096], software: [1024] } as const;

/** Warm-up, cold and hot series of a kernel that needs no more than the least of each, s. */
const SHORTEST_RUN_S = (POLICIES.default.warmup.ns + 2 * POLICIES.default.minTotalNs) / 1e9;

/** Preparations of which the one in the middle is told. */
const PREPARATIONS = 5;

const VARIANT: Variant = { kernel: 'matmul/warp-tile', tunables: {} };

/**
 * Prints what the procedure costs beside what it measures: the share of a run that goes
 * into verification, a large verification by itself, and preparing a run.
 *
 * @param self the bundled program of the harness
 * @param threadEntry the bundled program of a thread of the host
 */
export async function harness(self: URL, threadEntry: URL): Promise<void> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const pool = createThreadPool(threadEntry);
  const device = await openDevice(await chooseDevice('auto'), 'default', pool);
  print(`${device.identity.device}, ${device.environment.driver || device.identity.backend}`);
  const isSoftware = device.identity.class !== 'gpu';
  if (isSoftware) print('No GPU: a whole run is measured at 1024 in place of 2048 and 4096.');
  const rows: string[][] = [];
  for (const n of SIZES.gpu) rows.push(...(await verificationRows(self, n, isSoftware)));
  rows.push(...(await prepareRows(device.executor)));
  for (const n of isSoftware ? SIZES.software : SIZES.gpu)
    rows.push(await shareRow(device, pool, n));
  print(table(['what', 'took', 'limit', ''], rows, ['left', 'right', 'right', 'left']));
  device.executor.destroy();
  process.exit(0);
}

/** A row of the table, with a word where the limit is passed. */
function row(what: string, took: string, limit: string, isWithin: boolean): string[] {
  return [what, took, limit, isWithin ? '' : 'over the limit'];
}

/** What verifying a product costs; without a GPU also the most of a GPU's run that it can be. */
async function verificationRows(self: URL, n: number, isSoftware: boolean): Promise<string[][]> {
  const { firstS, againS, peakBytes } = await inChild<VerificationCost>(self, 'verification', n);
  const { wallS } = await inChild<ReferenceCost>(self, 'reference', n);
  const seconds = (what: string, s: number) =>
    row(what, `${s.toFixed(2)} s`, `${LIMITS.verificationS} s`, s <= LIMITS.verificationS);
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  const shareOf = (what: string, s: number) => {
    const share = s / (s + SHORTEST_RUN_S);
    return row(`  ${what}`, percentText(share), percentText(LIMITS.share), share <= LIMITS.share);
  };
  return [
    seconds(`verifying ${n} on one core, inputs and reference included`, firstS),
    seconds('  another output of the same problem', againS),
    row(
      '  memory at its peak',
      mib(peakBytes),
      mib(LIMITS.peakBytes),
      peakBytes <= LIMITS.peakBytes,
    ),
    part('inputs and reference, which a run waits for', `${wallS.toFixed(2)} s`),
    ...(isSoftware
      ? [
          shareOf("of a GPU's shortest run, the first of the problem, at most", wallS + 3 * againS),
          shareOf('of a further one, which finds inputs and reference made, at most', 3 * againS),
        ]
      : []),
  ];
}

/** What a child of this program measures and sends. */
function inChild<T>(self: URL, task: 'verification' | 'reference', n: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(self, [task, String(n)], { execArgv: [] });
    child.once('message', (cost: T & object) => resolve(cost));
    child.once('close', (code) => reject(new Error(`the ${task} ended with code ${code}`)));
  });
}

/** A preparation and its parts, ms. */
interface Preparation {
  readonly total: number;
  readonly upload: number;
  readonly fill: number;
}

/** The time to prepare a run of 1024 with all its buffer sets, and whose it is. */
async function prepareRows(executor: Executor): Promise<string[][]> {
  const problem = square(1024);
  const bufferSets = bufferSetsFor(problem, null);
  const prepare = async (): Promise<Preparation> => {
    const beganMs = performance.now();
    const prepared = await executor.prepare(VARIANT, problem, {
      seed: 1,
      bufferSets,
      timeUpload: true,
    });
    const total = performance.now() - beganMs;
    prepared.destroy();
    return { total, upload: (prepared.uploadNs ?? 0) / 1e6, fill: prepared.fillNs / 1e6 };
  };
  // Compiles, which the others find done: their pipelines are the first one's.
  await prepare();
  const taken: Preparation[] = [];
  for (let turn = 0; turn < PREPARATIONS; turn++) taken.push(await prepare());
  const { total, upload, fill } = typical(taken);
  const inputs = bufferBytes(problem).inputs.reduce((sum, bytes) => sum + bytes, 0);
  const ms = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`;
  const what = `preparing a run of 1024, ${bufferSets} buffer sets, compiling excluded`;
  const { prepareMs } = LIMITS;
  return [
    row(what, ms(total), `${prepareMs} ms`, total <= prepareMs),
    part('on the host: tunables, shader, buffers, bindings', ms(total - upload - fill)),
    part(`sending ${bytesText(inputs)} to the device, to time it`, ms(upload)),
    part(`filling ${bytesText(bufferSets * inputs)} there`, ms(fill)),
  ];
}

/** The one in the middle, by total. */
function typical(taken: readonly Preparation[]): Preparation {
  const sorted = taken.toSorted((a, b) => a.total - b.total);
  const middle = sorted[sorted.length >> 1];
  if (!middle) throw new RangeError('no preparations');
  return middle;
}

/** A row below one that it is a part of. */
const part = (what: string, took: string): string[] => [`  ${what}`, took, '', ''];

/** The share of a default-policy run's wall time between which its outputs are read back and checked. */
async function shareRow(device: OpenDevice, pool: HostPool, n: number): Promise<string[]> {
  const { executor, capabilities, identity, lastLevelCacheBytes, readClocks } = device;
  const roofline = new Roofline(executor, capabilities);
  // What the probes take is the device's, once, and not the run's.
  await roofline.survey();
  const steps: { readonly step: Step | 'end'; readonly ms: number }[] = [];
  const onStep = (step: Step | 'end') => void steps.push({ step, ms: performance.now() });
  const outcome = await runVariant(executor, VARIANT, square(n), POLICIES.default, capabilities, {
    deviceClass: identity.class,
    lastLevelCacheBytes,
    nowNs: () => performance.now() * 1e6,
    roofline,
    readClocks,
    // Of its own: nothing is there yet, as in the first run of a problem.
    checks: new Checks(pool),
    onStep,
  });
  onStep('end');
  const what = `verification in a run of ${n}`;
  if (outcome.kind !== 'measured') return [what, outcome.kind, '', JSON.stringify(outcome)];
  const msOf = (wanted: (step: Step | 'end') => boolean) =>
    steps.reduce((sum, { step, ms }, at) => {
      return wanted(step) ? sum + ((steps[at + 1]?.ms ?? ms) - ms) : sum;
    }, 0);
  const totalMs = msOf(() => true);
  const share = msOf((step) => step === 'verify' || step === 'verify-again') / totalMs;
  const took = `${percentText(share)} of ${(totalMs / 1e3).toFixed(2)} s`;
  return row(what, took, percentText(LIMITS.share), share <= LIMITS.share);
}
