import {
  deviceKey,
  drive,
  dtypesOfFamily,
  evidenceOf,
  type Family,
  type Findings,
  familyShapes,
  learnedFrom,
  type Observation,
  type Outcome,
  outcomeReason,
  screenedOf,
  searchFamily,
  shippedFor,
  verdictOn,
} from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  feasible,
  InputError,
  idsOf,
  KERNELS,
  kernelById,
  opOf,
  type Problem,
  shapeText,
  shortAddress,
  type Variant,
} from '@tilemark/kernels';
import { ratioText } from '../duel';
import { tunablesFor } from '../flags';
import { significant, timeText } from '../table';
import { type BenchOptions, TuneBench } from './bench';
import { evidenceAt, writeEvidence } from './save';

interface SuiteRequest extends BenchOptions {
  readonly suite: Family;
  readonly dtype: Dtype;
  /** ns. */
  readonly budget: number;
  readonly save?: string;
  /** Ids of kernels whose candidates alone are timed. */
  readonly kernel?: readonly string[];
  /** `NAME=value,value`: candidates with other values are left out. */
  readonly tunable?: readonly string[];
}

/**
 * Times the candidates of every shape of a family, so that the selector can answer for shapes that
 * were never measured; then lets the two fastest of a shape duel where that could not tell them
 * apart. A file from an interrupted run is continued. Returns the exit code. Throws InputError.
 */
export async function tuneSuite(
  { suite: family, dtype, save, budget: budgetNs, kernel: ids, tunable, ...options }: SuiteRequest,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  checkDtype(family, dtype);
  const wanted = tunablesFor(
    ids
      ? ids.map((id) => kernelById(id, '--kernel'))
      : KERNELS.filter(({ op }) => op === family.op),
    tunable,
  );
  const isWanted = ({ kernel: id, tunables }: Variant) =>
    wanted.some(
      ({ kernel, tunables: only }) =>
        kernel.id === id &&
        Object.entries(only).every(([name, values]) =>
          values.some((value) => value === tunables[name]),
        ),
    );
  return TuneBench.with(options, childEntry, print, async (bench) => {
    const { description, driver } = bench;
    const { capabilities, environment, identity } = description;
    if (identity.class === 'cpu') throw new InputError('a suite is tuned on a GPU', '--device');
    const roofline = await bench.survey();
    const { profile } = options;
    const asked = { device: identity, profile, op: family.op, dtype };
    const file = save === undefined ? null : await evidenceAt(save, asked);
    if (file && file.shapes.length > 0 && file.driver !== environment.driver) {
      throw new InputError(
        `${save} was screened under another driver: choose another file`,
        '--save',
      );
    }
    const head = {
      ...asked,
      driver: environment.driver,
      runtimeVersions: environment.runtimeVersions,
      measuredAt: new Date().toISOString(),
      command: [
        `tilemark tune --suite ${family.id} --dtype ${dtype} --profile ${profile} --budget ${budgetNs / 1e9}s`,
        ...(ids ? [`--kernel ${ids.join(' ')}`] : []),
        ...(tunable ? [`--tunable ${tunable.join(' ')}`] : []),
      ].join(' '),
      ...(roofline && { roofline }),
      measured: file?.measured ?? [],
    };
    const known = file && screenedOf(file);
    const keep = async ({ times, finals }: Findings) => {
      if (save === undefined || times.length === 0) return;
      await writeEvidence(save, evidenceOf(head, times, finals));
    };
    const { shapes, skipped } = familyShapes(family, dtype, (variant, problem) => {
      if (!isWanted(variant)) return 'No candidate is of these kernels and tunables.';
      const fit = feasible(variant, problem, capabilities);
      return fit.ok ? null : fit.why;
    });
    for (const { problem, why } of skipped) print(`${shapeText(problem)}: skipped: ${why}`);
    const before = new Set(known?.times.map(({ problem }) => shapeText(problem)));
    const beganNs = driver.nowNs();
    let failed = 0;
    let saved = Promise.resolve();
    const { vendor } = identity;
    const key = deviceKey(identity);
    // Nothing of the dtype: tiles of the same elements and sums are nearly as fast, however B is stored.
    const dtypes = [dtype, ...idsOf(DTYPES).filter((other) => isComputedAlike(other, dtype))];
    const alike = dtypes
      .flatMap((like) => [
        shippedFor({ key }, { ...head, dtype: like }),
        shippedFor({ vendor }, { ...head, dtype: like }),
      ])
      .find((file) => file !== null);
    const search = searchFamily<Outcome>({
      shapes,
      earlier: known ?? undefined,
      prior: alike ? learnedFrom(alike, profile).selector : undefined,
      budgetNs,
      nowNs: driver.nowNs,
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
    const { duels, searched } = await drive(search, async (ask) => {
      await saved;
      return driver.answer(ask);
    });
    await saved;
    const spentNs = driver.nowNs() - beganNs;
    const open = shapes.filter(({ problem }) => !before.has(shapeText(problem)));
    print(
      `${searched} of ${open.length} shapes measured in ${significant(spentNs / 1e9)} s, ${before.size} known before, ${skipped.length} skipped, ${failed} variants failed; ${duels} duels of those nearest`,
    );
    return searched + before.size > 0 ? 0 : 1;
  });
}

/** Throws InputError for a dtype in which a family has nothing to choose from. */
function checkDtype(family: Family, dtype: Dtype): void {
  const dtypes = dtypesOfFamily(family);
  if (dtypes.includes(dtype)) return;
  throw new InputError(
    `no candidate of ${family.id} computes ${dtype}; it has some for ${dtypes.join(', ')}`,
    '--dtype',
  );
}

const isComputedAlike = (a: Dtype, b: Dtype) =>
  DTYPES[a].element === DTYPES[b].element && DTYPES[a].sums === DTYPES[b].sums;

function line(problem: Problem, times: readonly Observation[]): string {
  const [best] = times.toSorted((a, b) => a.ns - b.ns);
  if (!best) return `${shapeText(problem)}: nothing measured`;
  const op = opOf(problem);
  return `${shapeText(problem)}: ${timeText(best.ns)}, ${significant(op.rate(problem, best.ns))} ${op.rateUnit(problem)}, best of ${times.length}: ${best.address}`;
}
