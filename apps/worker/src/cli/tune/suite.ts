import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Canary,
  candidatesFor,
  drawSeed,
  type Evidence,
  evidenceOf,
  evidenceSchema,
  type Family,
  type Observation,
  type OpenDevice,
  type Outcome,
  outcomeReason,
  POLICIES,
  type Point,
  type Policy,
  type Profile,
  Roofline,
  runDuel,
  runVariant,
  type Surroundings,
  screenedOf,
  undecided,
} from '@tilemark/core';
import {
  type Dtype,
  feasible,
  hash32,
  InputError,
  opOf,
  type Problem,
  parseVariant,
  shapeText,
  shortAddress,
} from '@tilemark/kernels';
import { chooseDevice, openDevice } from '../../device/select';
import { createThreadPool } from '../../device/thread-pool';
import { withMachineLock } from '../../run/machine-lock';
import { ratioText } from '../duel';
import { atFlag, parseIfThere } from '../flags';
import { significant, timeText } from '../table';

export interface SuiteRequest {
  readonly suite: Family;
  readonly dtype: Dtype;
  readonly profile: Profile;
  /** ns. */
  readonly budget: number;
  readonly device: string;
  readonly save?: string;
}

/**
 * Screening without its warm-up: variant follows variant, and the canary tells when the device has
 * idled. Thousands are timed, each proved as in every run.
 */
const GLANCE: Policy = {
  ...POLICIES.screen,
  minSampleNs: 0.8e6,
  warmup: { samples: 1, ns: 1 },
  minSamples: 5,
  minTotalNs: 0,
};

/** Part of the budget for screening; the rest is for the finals. */
const SCREENING_PART = 0.85;

/** A duel of the finals ends after this long, ns. */
const LONGEST_DUEL_NS = 1e9;

/** Pipelines that are compiled at once. */
const COMPILING = 64;

/**
 * Times the candidates of every shape of a family, so that the selector can answer for shapes that
 * were never measured; then lets the two fastest of a shape duel where that could not tell them
 * apart. A file from an interrupted run is continued. Returns the exit code. Throws InputError.
 */
export async function tuneSuite(
  { suite: family, dtype, profile, save, budget, device }: SuiteRequest,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const choice = await chooseDevice(device);
  if (choice.kind !== 'gpu') throw new InputError('a suite is tuned on a GPU', '--device');
  return withMachineLock(
    async () => {
      const pool = createThreadPool(new URL('./thread.mjs', childEntry));
      const gpu = await openDevice(choice, profile, pool);
      const canary =
        gpu.identity.class === 'gpu'
          ? await Canary.of(gpu.executor, (ns) => sleep(ns / 1e6))
          : null;
      await canary?.wake();
      const roofline = await new Roofline(gpu.executor, gpu.capabilities).survey();
      const surroundings = {
        deviceClass: gpu.identity.class,
        lastLevelCacheBytes: gpu.lastLevelCacheBytes,
        nowNs: () => Number(process.hrtime.bigint()),
        canary,
        seed: drawSeed(),
      };
      const head = {
        device: gpu.identity,
        driver: gpu.environment.driver,
        runtimeVersions: gpu.environment.runtimeVersions,
        profile,
        op: family.op,
        dtype,
        measuredAt: new Date().toISOString(),
        command: `tilemark tune --suite ${family.id} --dtype ${dtype} --profile ${profile} --budget ${budget / 1e9}s`,
        ...(roofline && { roofline }),
      };
      const known = save === undefined ? null : await earlier(save, head);
      const observations = [...(known?.times ?? [])];
      const finals = new Map(known?.finals);
      const keep = async () => {
        if (save === undefined || observations.length === 0) return;
        const text = `${JSON.stringify(evidenceOf(head, observations, finals))}\n`;
        await atFlag('--save', writeFile(save, text));
      };
      const done = new Set(observations.map(({ problem }) => shapeText(problem)));
      // In an order that covers the family evenly wherever the budget ends.
      const problems = family.shapes
        .map((shape, at) => ({ problem: { op: family.op, shape, dtype } as Problem, at }))
        .toSorted((a, b) => hash32(a.at) - hash32(b.at))
        .map(({ problem }) => problem)
        .filter((problem) => !done.has(shapeText(problem)));
      const beganNs = surroundings.nowNs();
      const spentNs = () => surroundings.nowNs() - beganNs;
      let failed = 0;
      let measured = 0;
      for (const problem of problems) {
        const points = candidatesFor(problem).filter(
          (point) => feasible(point, problem, gpu.capabilities).ok,
        );
        if (points.length === 0) {
          print(`${shapeText(problem)}: skipped: ${whyNot(problem, gpu.capabilities)}`);
          continue;
        }
        const outcomes = await glances(gpu, surroundings, problem, points, () => {
          return spentNs() > SCREENING_PART * budget;
        });
        // A shape that the budget cut short is measured whole the next time.
        if (spentNs() > SCREENING_PART * budget) break;
        const times: Observation[] = [];
        for (const [address, outcome] of outcomes) {
          if (outcome.kind === 'measured') {
            times.push({ problem, address, ns: outcome.measurement.cold.medianNs });
          } else {
            print(`${shapeText(problem)}: ${address}: ${outcomeReason(outcome)?.split('\n')[0]}`);
            failed++;
          }
        }
        observations.push(...times);
        measured++;
        print(line(problem, times));
        await keep();
      }
      let duels = 0;
      for (const [a, b] of undecided(observations, finals)) {
        if (spentNs() > budget) break;
        const text = shapeText(a.problem);
        const variants = { a: parseVariant(a.address), b: parseVariant(b.address) };
        const ended = await runDuel(
          ...([gpu.executor, variants, a.problem, gpu.capabilities, surroundings] as const),
          { longestNs: LONGEST_DUEL_NS },
        );
        if (ended.kind === 'ended') {
          print(`${text}: no duel: ${outcomeReason(ended.outcome)?.split('\n')[0]}`);
          continue;
        }
        const { ratio, low, high } = ended.duel;
        finals.set(text, { a: a.address, b: b.address, ratio, low, high });
        duels++;
        print(
          `${text}: duel: ${shortAddress(a.address)} is ${ratioText(ended.duel, shortAddress(b.address))}`,
        );
        await keep();
      }
      print(
        `${measured} of ${problems.length} shapes measured in ${significant(spentNs() / 1e9)} s, ${done.size} known before, ${failed} variants failed; ${duels} duels of those nearest`,
      );
      return measured + done.size > 0 ? 0 : 1;
    },
    { onWait: () => print('waiting for another measurement on this machine') },
  );
}

/** Compiles some variants, many at a time, then measures one after another until the time is up. */
async function glances(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  problem: Problem,
  points: readonly Point[],
  isOver: () => boolean,
): Promise<(readonly [address: string, Outcome])[]> {
  for (let first = 0; first < points.length && !isOver(); first += COMPILING) {
    const some = points.slice(first, first + COMPILING);
    // A failure is the outcome of the run.
    await Promise.allSettled(some.map((point) => executor.compile(point, problem)));
  }
  const outcomes: (readonly [string, Outcome])[] = [];
  for (const { address, ...variant } of points) {
    if (isOver()) break;
    outcomes.push([
      address,
      await runVariant(executor, variant, problem, GLANCE, capabilities, surroundings),
    ]);
  }
  return outcomes;
}

/** Why no candidate of a problem runs on a device. */
function whyNot(problem: Problem, limits: Parameters<typeof feasible>[2]): string {
  const [first] = candidatesFor(problem);
  if (!first) return 'no candidate supports this shape and dtype';
  const verdict = feasible(first, problem, limits);
  return verdict.ok ? '' : verdict.why;
}

function line(problem: Problem, times: readonly Observation[]): string {
  const [best] = times.toSorted((a, b) => a.ns - b.ns);
  if (!best) return `${shapeText(problem)}: nothing measured`;
  const op = opOf(problem);
  return `${shapeText(problem)}: ${timeText(best.ns)}, ${significant(op.rate(problem, best.ns))} ${op.rateUnit(problem)}, best of ${times.length}: ${best.address}`;
}

/** What a file has already. Throws InputError at `--save` if it is of other conditions. */
async function earlier(
  path: string,
  head: Omit<Evidence, 'variants' | 'shapes'>,
): Promise<ReturnType<typeof screenedOf> | null> {
  const file = await parseIfThere('--save', path, evidenceSchema, 'evidence');
  if (!file) return null;
  const conditions = ({ device, driver, profile, op, dtype }: typeof head) =>
    JSON.stringify([device, driver, profile, op, dtype]);
  if (conditions(file) !== conditions(head)) {
    throw new InputError(
      `${path} was measured on another device or driver, or in another profile, op or dtype: choose another file`,
      '--save',
    );
  }
  return screenedOf(file);
}
