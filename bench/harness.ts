import type { OpenDevice } from '@tilemark/core';
import {
  bufferSetsFor,
  outcomeReason,
  POLICIES,
  PROFILES,
  type Profile,
  Roofline,
  runVariant,
} from '@tilemark/core';
import {
  bufferBytes,
  bytesText,
  type Executor,
  type Problem,
  type Variant,
} from '@tilemark/kernels';
import { Command, Option } from 'commander';
import { percentText, table } from '../apps/worker/src/cli/table';
import { chooseDevice, openDevice } from '../apps/worker/src/device/select';

/** Limits on the cost of measuring itself: a fraction and ms. */
const LIMITS = { share: 0.1, prepareMs: 100 };

/** Sizes whose runs are measured; on a software adapter, larger products take minutes. */
const SIZES = { gpu: [2048, 4096], software: [1024] } as const;

/** Number of preparations; the median one is reported. */
const PREPARATIONS = 5;

const VARIANT: Variant = { kernel: 'matmul/warp-tile', tunables: {} };

/**
 * Prints the overhead of measuring: the fraction of a run spent on verification, and the time to
 * prepare a run.
 */
async function harness(): Promise<void> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const { profile } = new Command('harness')
    .description('prints what measuring costs on this machine: npm run bench:harness -- [options]')
    .addOption(
      new Option('--profile <profile>', 'Dawn toggles; NVIDIA has f16 under fast alone')
        .choices(PROFILES)
        .default(PROFILES[0]),
    )
    .parse()
    .opts<{ profile: Profile }>();
  const threads = new URL('./thread.mjs', import.meta.url);
  const device = await openDevice(await chooseDevice('auto'), profile, threads);
  const { identity, environment } = device;
  print(`${identity.device}, ${environment.driver || identity.backend}, profile ${profile}`);
  const isSoftware = device.identity.class !== 'gpu';
  if (isSoftware) print('No GPU: the complete run is measured at 1024 instead of 2048 and 4096.');
  const rows: string[][] = [];
  rows.push(...(await prepareRows(device.executor)));
  for (const n of isSoftware ? SIZES.software : SIZES.gpu) {
    rows.push(...(await shareRows(device, n)), ...(await partRows(device, n)));
  }
  print(table(['what', 'took', 'limit', ''], rows, ['left', 'right', 'right', 'left']));
  device.executor.destroy();
  process.exit(0);
}

/** A row of the table, marked if it exceeds the limit. */
function row(what: string, took: string, limit: string, isWithin: boolean): string[] {
  return [what, took, limit, isWithin ? '' : 'over the limit'];
}

/** The product of two n x n matrices in f32. */
const square = (n: number): Problem => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' });

/** The time of a preparation and of its parts, ms. */
interface Preparation {
  readonly total: number;
  readonly upload: number;
  readonly fill: number;
}

/** The time to prepare a run of 1024 with all its buffer sets, and what it is spent on. */
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
  // Compiles the pipelines, which the later preparations reuse.
  await prepare();
  const taken: Preparation[] = [];
  for (let turn = 0; turn < PREPARATIONS; turn++) taken.push(await prepare());
  const { total, upload, fill } = typical(taken);
  const inputs = bufferBytes(problem).inputs.reduce((sum, bytes) => sum + bytes, 0);
  const ms = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`;
  const what = `preparing a run of 1024, ${bufferSets} buffer sets, without compiling`;
  const { prepareMs } = LIMITS;
  return [
    row(what, ms(total), `${prepareMs} ms`, total <= prepareMs),
    part('on the host: tunables, shader, buffers, bindings', ms(total - upload - fill)),
    part(`timed upload of ${bytesText(inputs)} to the device`, ms(upload)),
    part(`filling ${bytesText(bufferSets * inputs)} on the device`, ms(fill)),
  ];
}

function typical(taken: readonly Preparation[]): Preparation {
  const sorted = taken.toSorted((a, b) => a.total - b.total);
  const middle = sorted[sorted.length >> 1];
  if (!middle) throw new RangeError('no preparations');
  return middle;
}

/** An indented row: a part of the row above. */
const part = (what: string, took: string): string[] => [`  ${what}`, took, '', ''];

/** Most dtypes whose runs are measured. */
const DTYPES_MEASURED = ['f32', 'f16'] as const;

/** How often a comparison and a poisoning are timed; the median counts. */
const REPEATS = 30;

/** What verification spends its time on, for one output of a product whose reference is audited. */
async function partRows(
  { executor, lastLevelCacheBytes }: OpenDevice,
  n: number,
): Promise<string[][]> {
  const problem = square(n);
  const bufferSets = bufferSetsFor(problem, lastLevelCacheBytes);
  const prepared = await executor.prepare(VARIANT, problem, { seed: 2, bufferSets });
  const timed = async (work: () => Promise<unknown>) => {
    const beganMs = performance.now();
    await work();
    return performance.now() - beganMs;
  };
  const all = Array.from({ length: bufferSets }, (_, set) => set);
  const repeated = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) times.push(await timed(work));
    return times.toSorted((a, b) => a - b)[REPEATS >> 1] ?? Number.NaN;
  };
  const ms = (time: number) => `${time.toFixed(time < 10 ? 2 : 0)} ms`;
  const wait = () => prepared.sample({ dispatches: 0, rotate: true });
  const renewed = async () => {
    await prepared.refill(3);
    await wait();
  };
  await prepared.poison('stale');
  await prepared.sample({ dispatches: bufferSets, rotate: true });
  const reference = await timed(() => prepared.verify([0]));
  const one = await repeated(() => prepared.verify([0]));
  await prepared.verify(all);
  const rows = [
    part(`a reference of ${n} in f32, with its first comparison`, ms(reference)),
    part('a comparison of one output, guards included', ms(one)),
    part(`a comparison of ${bufferSets} outputs`, ms(await repeated(() => prepared.verify(all)))),
    part('a poisoning of one output', ms(await repeated(() => prepared.poison('stale', 1)))),
    part('a wait for an idle device', ms(await repeated(wait))),
    part(`new inputs of ${bufferSets} sets`, ms(await timed(renewed))),
  ];
  prepared.destroy();
  return rows;
}

/**
 * The share of default-policy runs that goes into verifying: the first run of a shape, for which
 * the reference is audited, and a later one.
 */
async function shareRows(device: OpenDevice, n: number): Promise<string[][]> {
  const { executor, capabilities, collectGarbage, identity, lastLevelCacheBytes } = device;
  const roofline = new Roofline(executor, capabilities);
  // The probes run once per device, so their time is not the run's.
  await roofline.survey();
  const rows: string[][] = [];
  for (const dtype of DTYPES_MEASURED) {
    const problem = { ...square(n), dtype };
    for (const which of ['the first', 'a later']) {
      const what = `verification in ${which} run of ${n} in ${dtype}`;
      const beganMs = performance.now();
      const surroundings = {
        deviceClass: identity.class,
        lastLevelCacheBytes,
        nowNs: () => performance.now() * 1e6,
        roofline,
        ...(collectGarbage && { collectGarbage }),
      };
      const { default: policy } = POLICIES;
      const args = [VARIANT, problem, policy, capabilities, surroundings] as const;
      const outcome = await runVariant(executor, ...args);
      if (outcome.kind !== 'measured') {
        rows.push([what, outcome.kind, '', outcomeReason(outcome) ?? '']);
        continue;
      }
      const totalMs = performance.now() - beganMs;
      const { dispatches, ns = 0 } = outcome.measurement.verification;
      const share = ns / 1e6 / totalMs;
      const took = `${percentText(share)} of ${(totalMs / 1e3).toFixed(2)} s`;
      rows.push(row(what, took, percentText(LIMITS.share), share <= LIMITS.share));
      rows.push(part('dispatches verified', String(dispatches)));
    }
  }
  return rows;
}

await harness();
