import { writeFile } from 'node:fs/promises';
import {
  candidatesFor,
  type Evidence,
  evidenceOf,
  evidenceSchema,
  FAMILIES,
  type Observation,
  observationsOf,
  type Point,
  type Profile,
} from '@tilemark/core';
import {
  type Dtype,
  feasible,
  hash32,
  InputError,
  opOf,
  type Problem,
  shapeText,
} from '@tilemark/kernels';
import { chooseDevice } from '../../device/select';
import { openRawGpu } from '../../gpu/dawn';
import { QuickBench } from '../../gpu/quick';
import { MachineTurn } from '../../run/machine-lock';
import { atFlag, readIfThere } from '../flags';
import { significant, timeText } from '../table';

export interface SuiteRequest {
  readonly suite: string;
  readonly dtype: Dtype;
  readonly profile: Profile;
  readonly budgetNs: number;
  readonly device: string;
  readonly save?: string;
  readonly command: string;
}

/** Shapes that share a round of compiling: while it lasts, the GPU's clock falls. */
const BATCH = 32;
/** Load before the first timing of a batch, ns. */
const WARM_UP_NS = 0.7e9;
/** A variant this much slower than the best so far needs no second look. */
const WORTH = 1.4;

/**
 * Times the candidates of every shape of a family, so that the selector can answer for shapes that
 * were never measured. Shapes share compiled variants; a file from an interrupted run is
 * continued. Returns the exit code. Throws InputError.
 */
export async function tuneSuite(
  request: SuiteRequest,
  print: (text: string) => void,
): Promise<number> {
  const { dtype, profile, save, budgetNs } = request;
  const family = FAMILIES.find(({ id }) => id === request.suite);
  if (!family) {
    const known = FAMILIES.map(({ id }) => id).join(', ');
    throw new InputError(`'${request.suite}' is not one of: ${known}`, '--suite');
  }
  const choice = await chooseDevice(request.device);
  if (choice.kind !== 'gpu') throw new InputError('a suite is tuned on a GPU', '--device');
  const turn = new MachineTurn();
  const code = await turn.take(
    async () => {
      const gpu = await openRawGpu(choice.adapter, profile);
      const head = {
        device: gpu.identity,
        driver: gpu.environment.driver,
        runtimeVersions: gpu.environment.runtimeVersions,
        profile,
        op: family.op,
        dtype,
        measuredAt: new Date().toISOString(),
        command: request.command,
      };
      const observations = save === undefined ? [] : await earlier(save, head);
      const done = new Set(observations.map(({ problem }) => shapeText(problem)));
      // In an order that covers the family evenly wherever the budget ends.
      const problems = family.shapes
        .map((shape, at) => ({ problem: { op: family.op, shape, dtype } as Problem, at }))
        .toSorted((a, b) => hash32(a.at) - hash32(b.at))
        .map(({ problem }) => problem)
        .filter((problem) => !done.has(shapeText(problem)));
      const bench = new QuickBench(gpu.device);
      const beganNs = nowNs();
      const left = () => budgetNs - (nowNs() - beganNs);
      let failed = 0;
      let measured = 0;
      for (let first = 0; first < problems.length && left() > 0; first += BATCH) {
        const batch = problems.slice(first, first + BATCH).map((problem) => ({
          problem,
          points: candidatesFor(problem).filter((p) => feasible(p, problem, gpu.capabilities).ok),
        }));
        await compileAll(bench, batch, left);
        let isWarm = false;
        for (const { problem, points } of batch) {
          if (left() <= 0) break;
          if (points.length === 0) {
            print(`${shapeText(problem)}: skipped: ${whyNot(problem, gpu.capabilities)}`);
            continue;
          }
          const stage = await bench.stage(problem);
          if (!isWarm && points[0]) await bench.warmUp(points[0], stage, WARM_UP_NS);
          isWarm = true;
          const times: Observation[] = [];
          let best = Number.POSITIVE_INFINITY;
          for (const { address, ...variant } of points) {
            if (left() <= 0) break;
            const wanted = { samples: 5, sampleNs: 0.8e6, worthNs: WORTH * best };
            const ns = await bench.time(variant, stage, wanted).then(
              ({ medianNs }) => medianNs,
              (error: Error) => {
                print(`${shapeText(problem)}: ${address}: ${error.message.split('\n')[0]}`);
                failed++;
                return null;
              },
            );
            if (ns === null) continue;
            times.push({ problem, address, ns });
            best = Math.min(best, ns);
          }
          bench.release(stage);
          // A shape that the budget cut short is measured whole the next time.
          if (left() <= 0) break;
          observations.push(...times);
          measured++;
          print(line(problem, times));
        }
        if (save !== undefined && observations.length > 0) {
          const text = `${JSON.stringify(evidenceOf(head, observations))}\n`;
          await atFlag('--save', writeFile(save, text));
        }
      }
      print(
        `${measured} of ${problems.length} shapes measured in ${significant((nowNs() - beganNs) / 1e9)} s, ${done.size} known before, ${failed} variants failed`,
      );
      return measured + done.size > 0 ? 0 : 1;
    },
    { onWait: () => print('waiting for another measurement on this machine') },
  );
  await turn.end();
  return code;
}

const nowNs = () => Number(process.hrtime.bigint());

/** Pipelines that are compiled at once. */
const COMPILING = 64;

/** Compiles what a batch of shapes needs, many variants at a time, while the budget lasts. */
async function compileAll(
  bench: QuickBench,
  batch: readonly { readonly problem: Problem; readonly points: readonly Point[] }[],
  left: () => number,
): Promise<void> {
  const all = batch.flatMap(({ problem, points }) => points.map((point) => ({ point, problem })));
  for (let first = 0; first < all.length && left() > 0; first += COMPILING) {
    // A failure is reported where the variant is timed.
    await Promise.all(
      all
        .slice(first, first + COMPILING)
        .map(({ point, problem }) => bench.compile(point, problem).catch(() => undefined)),
    );
  }
}

/** Why no candidate of a problem runs on a device. */
function whyNot(problem: Problem, limits: Parameters<typeof feasible>[2]): string {
  const [first] = candidatesFor(problem);
  if (!first) return 'no candidate takes this shape and dtype';
  const verdict = feasible(first, problem, limits);
  return verdict.ok ? '' : verdict.why;
}

function line(problem: Problem, times: readonly Observation[]): string {
  const [best] = times.toSorted((a, b) => a.ns - b.ns);
  if (!best) return `${shapeText(problem)}: nothing measured`;
  const op = opOf(problem);
  return `${shapeText(problem)}: ${timeText(best.ns)}, ${significant(op.rate(problem, best.ns))} ${op.rateUnit}, best of ${times.length}: ${best.address}`;
}

/** What a file has already. Throws InputError at `--save` if it is of other conditions. */
async function earlier(
  path: string,
  head: Omit<Evidence, 'variants' | 'shapes'>,
): Promise<Observation[]> {
  const text = await readIfThere('--save', path);
  if (text === null) return [];
  const file = evidenceSchema.safeParse(parsed(text));
  if (!file.success) {
    throw new InputError(`${path} is not a file of evidence: choose another`, '--save');
  }
  const conditions = ({ device, driver, profile, op, dtype }: typeof head) =>
    JSON.stringify([device, driver, profile, op, dtype]);
  if (conditions(file.data) !== conditions(head)) {
    throw new InputError(
      `${path} was measured on another device or driver, or in another profile, op or dtype: choose another file`,
      '--save',
    );
  }
  return observationsOf(file.data);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
