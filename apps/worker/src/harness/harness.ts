import { fork } from 'node:child_process';
import { bufferSetsFor, POLICIES, Roofline, runVariant, type Step } from '@tilemark/core';
import type { Executor, Problem, Variant } from '@tilemark/kernels';
import type { OpenDevice } from '../device/device';
import { chooseDevice, openDevice } from '../device/select';
import { table } from '../table';
import { percentText } from '../units';
import type { VerificationCost } from './verification';

/** What measuring itself may cost: shares of one, s, bytes and ms. */
const LIMITS = { share: 0.2, verificationS: 1.5, peakBytes: 2 ** 30, prepareMs: 100 };

/** Sizes whose verification is a share of a run; a software adapter takes minutes for one product. */
const SIZES = { gpu: [2048, 4096], software: [1024] } as const;

const VARIANT: Variant = { kernel: 'matmul/warp-tile', tunables: {} };

const square = (n: number): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});

/**
 * Prints what the procedure costs beside what it measures: the share of a run that goes
 * into verification, a large verification by itself, and preparing a run.
 *
 * @param self the bundled program of the harness
 * @param threadEntry the bundled program of a thread of the host
 */
export async function harness(self: URL, threadEntry: URL): Promise<void> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const device = await openDevice(await chooseDevice('auto'), 'default', threadEntry);
  print(`${device.identity.device}, ${device.environment.driver || device.identity.backend}`);
  const isSoftware = device.identity.class !== 'gpu';
  if (isSoftware) print('No GPU: the share of a run is shown at 1024 in place of 2048 and 4096.');
  const rows = [...(await verificationRows(self)), await prepareRow(device.executor)];
  for (const n of isSoftware ? SIZES.software : SIZES.gpu) rows.push(await shareRow(device, n));
  print(table(['what', 'took', 'limit', ''], rows, ['left', 'right', 'right', 'left']));
  device.executor.destroy();
  process.exit(0);
}

/** A row of the table, with a word where the limit is passed. */
function row(what: string, took: string, limit: string, isWithin: boolean): string[] {
  return [what, took, limit, isWithin ? '' : 'over the limit'];
}

async function verificationRows(self: URL): Promise<string[][]> {
  const { firstS, againS, peakBytes } = await verificationCost(self, 4096);
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  const { verificationS, peakBytes: limitBytes } = LIMITS;
  const seconds = (what: string, s: number) =>
    row(what, `${s.toFixed(2)} s`, `${verificationS} s`, s <= verificationS);
  return [
    seconds('verifying 4096 on one core, inputs and reference included', firstS),
    seconds('verifying 4096 again in the same run', againS),
    row('memory of it at its peak', mib(peakBytes), mib(limitBytes), peakBytes <= limitBytes),
  ];
}

function verificationCost(self: URL, n: number): Promise<VerificationCost> {
  return new Promise((resolve, reject) => {
    const child = fork(self, ['verification', String(n)], { execArgv: [] });
    child.once('message', (cost: VerificationCost) => resolve(cost));
    child.once('close', (code) => reject(new Error(`the verification ended with code ${code}`)));
  });
}

/** The time to prepare a run of 1024 with all its buffer sets, without what compiling took. */
async function prepareRow(executor: Executor): Promise<string[]> {
  const bufferSets = bufferSetsFor(square(1024), null);
  const prepareMs = async () => {
    const beganMs = performance.now();
    const prepared = await executor.prepare(VARIANT, square(1024), { seed: 1, bufferSets });
    const ms = performance.now() - beganMs - prepared.compileNs / 1e6;
    prepared.destroy();
    return ms;
  };
  // The first compiles the shader that fills the inputs, too.
  await prepareMs();
  const ms = await prepareMs();
  const what = `preparing a run of 1024, ${bufferSets} buffer sets, compiling excluded`;
  return row(what, `${ms.toFixed(0)} ms`, `${LIMITS.prepareMs} ms`, ms <= LIMITS.prepareMs);
}

/** The share of a default-policy run's wall time between which its outputs are read back and checked. */
async function shareRow(device: OpenDevice, n: number): Promise<string[]> {
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
