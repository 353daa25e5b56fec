import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Canary,
  drawSeed,
  drive,
  type Evidence,
  evidenceOf,
  evidenceSchema,
  type Family,
  type Findings,
  familyShapes,
  type Observation,
  type OpenDevice,
  type Outcome,
  outcomeReason,
  POLICIES,
  type Policy,
  type Profile,
  Roofline,
  runDuel,
  runVariant,
  screenedOf,
  searchFamily,
  verdictOn,
  type WantedRun,
} from '@tilemark/core';
import {
  type Dtype,
  feasible,
  InputError,
  opOf,
  type Problem,
  shapeText,
  shortAddress,
} from '@tilemark/kernels';
import { chooseDevice, openDevice } from '../../device/select';
import { withMachineLock } from '../../run/machine-lock';
import { ratioText } from '../duel';
import { atFlag, parseIfThere } from '../flags';
import { checkDtype } from '../selection';
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
  checkDtype(family, dtype);
  const choice = await chooseDevice(device);
  if (choice.kind !== 'gpu') throw new InputError('a suite is tuned on a GPU', '--device');
  return withMachineLock(
    async () => {
      const threads = new URL('./thread.mjs', childEntry);
      const gpu = await openDevice(choice, profile, threads);
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
      const keep = async ({ times, finals }: Findings) => {
        if (save === undefined || times.length === 0) return;
        const text = `${JSON.stringify(evidenceOf(head, times, finals))}\n`;
        await atFlag('--save', writeFile(save, text));
      };
      const { shapes, skipped } = familyShapes(family, dtype, (variant, problem) => {
        const fit = feasible(variant, problem, gpu.capabilities);
        return fit.ok ? null : fit.why;
      });
      for (const { shape, why } of skipped) print(`${shape}: skipped: ${why}`);
      const before = new Set(known?.times.map(({ problem }) => shapeText(problem)));
      const beganNs = surroundings.nowNs();
      let failed = 0;
      let saved = Promise.resolve();
      let compiled: Problem | null = null;
      const search = searchFamily<Outcome>({
        ...{ shapes, known: known ?? undefined, budgetNs: budget, nowNs: surroundings.nowNs },
        onShape: (problem, outcomes, found) => {
          const times: Observation[] = [];
          for (const [{ address }, outcome] of outcomes) {
            if (outcome.kind === 'measured') {
              times.push({ problem, address, ns: outcome.measurement.cold.medianNs });
            } else {
              print(`${shapeText(problem)}: ${address}: ${outcomeReason(outcome)?.split('\n')[0]}`);
              failed++;
            }
          }
          print(line(problem, times));
          saved = keep(found);
        },
        onDuel: ({ a, b, ratio, low, high }, problem, found) => {
          const than = ratioText(verdictOn(ratio, low, high), shortAddress(b));
          print(`${shapeText(problem)}: duel: ${shortAddress(a)} is ${than}`);
          saved = keep(found);
        },
      });
      const { duels, searched } = await drive(search, async ({ following, run }) => {
        const { problem, rival, variant } = run;
        await saved;
        if (rival) {
          const ended = await runDuel(
            ...([gpu.executor, { a: variant, b: rival.variant }, problem] as const),
            ...([gpu.capabilities, surroundings, { longestNs: GLANCE.longestDuelNs }] as const),
          );
          if (ended.kind === 'dueled') return { outcome: null, contrast: ended.duel };
          const why = outcomeReason(ended.outcome)?.split('\n')[0];
          print(`${shapeText(problem)}: no duel: ${why}`);
          return { outcome: null, contrast: null };
        }
        if (compiled !== problem) {
          compiled = problem;
          await compileAll(
            gpu,
            [run, ...following()].filter((each) => each.problem === problem),
          );
        }
        const outcome = await runVariant(
          ...([gpu.executor, variant, problem, GLANCE, gpu.capabilities, surroundings] as const),
        );
        return { outcome, contrast: null };
      });
      await saved;
      const spentNs = surroundings.nowNs() - beganNs;
      const open = shapes.filter(({ problem }) => !before.has(shapeText(problem)));
      print(
        `${searched} of ${open.length} shapes measured in ${significant(spentNs / 1e9)} s, ${before.size} known before, ${skipped.length} skipped, ${failed} variants failed; ${duels} duels of those nearest`,
      );
      return searched + before.size > 0 ? 0 : 1;
    },
    { onWait: () => print('waiting for another measurement on this machine') },
  );
}

/** Compiles variants, many at a time; a failure is the outcome of the run. */
async function compileAll({ executor }: OpenDevice, runs: readonly WantedRun[]): Promise<void> {
  for (let first = 0; first < runs.length; first += COMPILING) {
    const some = runs.slice(first, first + COMPILING);
    await Promise.allSettled(
      some.map(({ problem, variant }) => executor.compile(variant, problem)),
    );
  }
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
