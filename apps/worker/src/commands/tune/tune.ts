import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  type BenchFile,
  deviceKey,
  medianNs,
  type Point,
  type RunResult,
  runsOnDevice,
  Search,
  type Trial,
  type Tuned,
  TuningSpace,
  tune as tuneBySearch,
} from '@tilemark/core';
import { feasible, InputError, opOf, type Problem, shapeText } from '@tilemark/kernels';
import type { DeviceDescription } from '../../device/device';
import { MachineTurn } from '../../machine-turn';
import { messageOf } from '../../message';
import { type RunInput, Runner } from '../../runner';
import { timeText } from '../../units';
import { openCache } from './cache';
import { compilesAhead } from './compile-ahead';
import { tuneProgress } from './progress';
import { type TuneFlags, type TuneRequest, tuneRequest } from './request';
import { saveTuned } from './save';
import { tunedTable } from './table';

export interface TuneOptions extends TuneFlags {
  readonly device: string;
  readonly cache?: string;
  readonly json?: string;
  readonly save?: string;
}

/** A trial may hang the device: its process is ended after this long without an answer, ms. */
const WATCHDOG_MS = 60_000;

/**
 * Searches kernels for their fastest variant on a device of this machine: screened with
 * few samples, the leaders measured by the full protocol, all of them verified. Returns
 * the exit code: 1 when nothing could be measured. Throws InputError.
 */
export async function tune(
  options: TuneOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const request = tuneRequest(options);
  const { problem, profile, budgetNs } = request;
  const runner = new Runner({ entry: childEntry, device: options.device, watchdogMs: WATCHDOG_MS });
  const warn = (text: string) => void process.stderr.write(`${text}\n`);
  const turn = new MachineTurn();
  const clockNs = () => Number(process.hrtime.bigint());
  // Waiting for others on this machine takes nothing from the budget.
  let waitedNs = 0;
  const nowNs = () => clockNs() - waitedNs;
  try {
    const description = await runner.open(profile);
    const isAhead = compilesAhead(description);
    const spaces = spacesOf(request, description);
    const scope = { deviceKey: deviceKey(description.identity), problem, ...description };
    const cache = await openCache(options.cache, scope, warn);
    const ended = new Map<Trial['outcome'], string>();
    const progress = tuneProgress(problem, budgetNs, process.stderr);
    const beganNs = nowNs();
    let wasCached = false;
    const measured = async (run: RunInput, next: Point | null) => {
      const askedNs = clockNs();
      const work = () => {
        waitedNs += clockNs() - askedNs;
        return runner.run(run, { next: next && { variant: next, problem } });
      };
      return (await turn.take(work, { onWait: progress.wait })).outcome;
    };
    const tuned = await tuneBySearch({
      search: new Search(spaces, request.seed),
      budgetNs,
      nowNs,
      measure: async (point, policy, next) => {
        const known = cache.find(point, policy);
        wasCached = known !== null;
        const run = { variant: point, problem, profile, policy };
        const ahead = next && isAhead && !cache.find(next, policy) ? next : null;
        const outcome = known?.outcome ?? (await measured(run, ahead));
        ended.set(outcome, known?.endedAt ?? (await cache.add(point, policy, outcome)));
        return outcome;
      },
      onTrial: (trial, best) => progress.trial(trial, best, nowNs() - beganNs, wasCached),
    })
      .finally(() => turn.end())
      .finally(progress.end);

    print(summary(tuned, spaces, problem));
    const resultOf = (trial: Trial) =>
      resultFrom(trial, request, description, ended.get(trial.outcome) ?? new Date().toISOString());
    if (options.json !== undefined) {
      const results = [...tuned.finals, ...tuned.screened].map(resultOf);
      const file: BenchFile = {
        version: 1,
        environment: description.environment,
        environments: [],
        results,
      };
      await write(options.json, `${JSON.stringify(file, null, 1)}\n`, '--json');
    }
    const [winner] = tuned.finals;
    if (!winner || medianNs(winner) === null) return 1;
    if (options.save !== undefined) {
      const stays = await saveTuned(options.save, resultOf(winner), description.environment, {
        command: commandLine(options),
        tried: tuned.screened.length,
      });
      if (stays) {
        print(`${options.save} keeps a better one: ${timeText(stays.medianNs)}, ${stays.address}`);
      }
    }
    return 0;
  } finally {
    await runner.close();
  }
}

/** Throws InputError where no kernel asked for runs on the device at all. */
function spacesOf(
  { kernels, problem }: TuneRequest,
  { identity, capabilities }: DeviceDescription,
): TuningSpace[] {
  const able = kernels.filter(({ kernel }) => runsOnDevice(kernel, identity));
  const spaces = able.map(
    ({ kernel, only }) =>
      new TuningSpace(kernel, {
        only,
        fits: (variant) => feasible(variant, problem, capabilities).ok,
        ...(kernel.runsOn === 'gpu' && {
          workgroups: ({ tunables }) =>
            kernel.workgroups(tunables, problem).reduce((product, count) => product * count),
        }),
      }),
  );
  const fitting = spaces.filter((space) => space.shuffled(0).next().value !== null);
  if (fitting.length > 0) return fitting;
  const reasons = spaces.flatMap(({ kernel }) => {
    const fit = feasible({ kernel: kernel.id, tunables: {} }, problem, capabilities);
    return fit.ok ? [] : [`${kernel.id}: ${fit.why}`];
  });
  const why = reasons.join('. ') || 'GPU kernels need a GPU, host kernels the device cpu';
  const what = `${problem.op} ${shapeText(problem)} ${problem.dtype}`;
  throw new InputError(
    `no variant of a kernel fits ${what} on ${identity.device}. ${why}`,
    '--kernel',
  );
}

function summary(
  { screened, finals, stop }: Tuned,
  spaces: readonly TuningSpace[],
  problem: Problem,
) {
  const of = (kind: Trial['outcome']['kind']) =>
    screened.filter(({ outcome }) => outcome.kind === kind).length;
  const combinations = spaces.reduce((sum, space) => sum + space.combinations, 0);
  const bad = [...(['incorrect', 'failed'] as const)].map((kind) => `${of(kind)} ${kind}`);
  const why = stop === 'budget' ? 'the budget was used' : 'there was nothing left to try';
  return [
    `${opOf(problem).title} ${shapeText(problem)} ${problem.dtype}: ${screened.length} variants screened of ${combinations} combinations (${bad.join(', ')}); ${why}.`,
    tunedTable(finals, screened, problem),
  ].join('\n');
}

function resultFrom(
  { point, policy, outcome }: Trial,
  { problem, profile }: TuneRequest,
  { identity }: DeviceDescription,
  endedAt: string,
): RunResult {
  const ns = medianNs({ outcome });
  const { rateUnit: unit } = opOf(problem);
  return {
    runId: randomUUID(),
    resultId: null,
    variant: { kernel: point.kernel, tunables: point.tunables },
    address: point.address,
    problem,
    device: { key: deviceKey(identity), name: identity.device, class: identity.class },
    profile,
    policy,
    outcome,
    endedAt,
    rate: ns === null ? null : { value: opOf(problem).rate(problem, ns), unit },
  };
}

/** The command that would search again, without where its files go. */
function commandLine({ op, shape, dtype, budget, profile, seed, kernel, tunable }: TuneOptions) {
  return [
    `tilemark tune --op ${op} --shape ${shape} --dtype ${dtype} --budget ${budget}`,
    `--profile ${profile} --seed ${seed}`,
    ...(kernel ? [`--kernel ${kernel.join(' ')}`] : []),
    ...(tunable ? [`--tunable ${tunable.join(' ')}`] : []),
  ].join(' ');
}

async function write(path: string, text: string, flag: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new InputError(messageOf(error), flag);
  }
}
