import { setImmediate } from 'node:timers/promises';
import {
  type BestVariant,
  csvTable,
  deviceKey,
  dtypesOfFamily,
  type Evidence,
  evidenceSchema,
  type Family,
  geometricMean,
  isOn,
  leaveDeviceOut,
  leaveOneShapeOut,
  observationsOf,
  type Prediction,
  type Profile,
  type Regret,
  Selector,
  shippedBeside,
  shippedEvidence,
} from '@tilemark/core';
import {
  type Dtype,
  InputError,
  kernelById,
  type Pass,
  type Problem,
  passesOf,
  shapeText,
  type TunableValues,
} from '@tilemark/kernels';
import { z } from 'zod';
import { parseIfThere } from './flags';
import { GridClient } from './grid/client';
import { invoked } from './invoked';
import { progressBar, significant, table, timeText } from './table';

export interface SelectionOptions {
  /** A device key. */
  readonly device?: string;
  /** A grid to ask. */
  readonly server?: string;
  readonly token?: string;
  /** Files. */
  readonly evidence?: readonly string[];
  readonly suite: Family;
  readonly dtype: Dtype;
  readonly profile: Profile;
  readonly format: 'csv' | 'json';
  readonly regret?: boolean;
}

/** A decision of the table. */
interface Decision {
  readonly shape: string;
  readonly kernel: string;
  readonly tunables: TunableValues;
  readonly address: string;
  /** `ranked`: by a ranked result or a tuned variant of this very shape; `nearest`: of another. */
  readonly basis: Prediction['basis'] | 'ranked' | 'nearest';
  /** Expected or measured on the shape, ns; null: neither. */
  readonly ns: number | null;
  readonly error: number | null;
  readonly passes: readonly Pick<Pass, 'entryPoint' | 'workgroups'>[];
  readonly runnersUp: readonly { readonly address: string; readonly ns: number }[];
}

/**
 * `tilemark table`: the selector's decisions over a family of shapes, to paste into a library; with
 * `--server`, as a grid answers for a device of its own; with `--regret`, how good such decisions are
 * on shapes that were left out. Throws InputError.
 */
export async function selection(
  options: SelectionOptions,
  print: (text: string) => void,
): Promise<void> {
  const { suite: family, dtype } = options;
  checkDtype(family, dtype);
  if (options.server !== undefined) {
    return printTable(options, await decisionsOfGrid(options, options.server), print);
  }
  const { file, others } = await evidenceFor(options);
  if (options.regret) return print((await regretTexts(file, others)).join('\n'));
  const selector = new Selector(observationsOf(file), shippedBeside(file));
  const { device, driver, measuredAt, command, shapes } = file;
  const decisions = family.shapes.map((shape): readonly [string, Decision | null] => {
    const problem = { op: family.op, shape, dtype } as Problem;
    const [best, ...runnersUp] = selector.rank(problem, () => true);
    return [shapeText(problem), best ? predicted(problem, best, runnersUp) : null];
  });
  const head = { device, driver, measuredAt, command, shapesMeasured: shapes.length };
  printTable(options, { key: deviceKey(device), head, decisions }, print);
}

/** Throws InputError for a dtype in which a family has nothing to choose from. */
export function checkDtype(family: Family, dtype: Dtype): void {
  const dtypes = dtypesOfFamily(family);
  if (dtypes.includes(dtype)) return;
  throw new InputError(
    `no candidate of ${family.id} computes ${dtype}; it has some for ${dtypes.join(', ')}`,
    '--dtype',
  );
}

/** The file to decide by, and those of other devices. Throws InputError where there is none. */
async function evidenceFor(options: SelectionOptions) {
  const { device: key, dtype, profile, suite: family } = options;
  const brought = await Promise.all((options.evidence ?? []).map(readEvidence));
  const isAsked = (evidence: Evidence) =>
    evidence.op === family.op && evidence.dtype === dtype && evidence.profile === profile;
  const shipped = shippedEvidence().filter(isAsked);
  const file = (brought.length > 0 ? brought : shipped).find(
    (evidence) => isAsked(evidence) && (key === undefined || isOn(evidence.device, { key })),
  );
  if (!file) {
    const where = key === undefined ? '' : ` on ${key}`;
    const asked = ['--suite', family.id, '--dtype', dtype, '--profile', profile];
    const tuning = invoked(['tune', ...asked, '--save', 'evidence.json']);
    throw new InputError(
      `nothing was measured for ${family.op} ${dtype} in profile ${profile}${where}: run ${tuning} there and add --evidence evidence.json, or tune the device on a grid and add --server`,
      brought.length > 0 ? '--evidence' : key === undefined ? '--dtype' : '--device',
    );
  }
  const isOther = ({ device }: Evidence) => deviceKey(device) !== deviceKey(file.device);
  return { file, others: [...brought.filter(isAsked), ...shipped].filter(isOther) };
}

/** The decision that a prediction is. */
function predicted(
  problem: Problem,
  { address, basis, error, kernel, ns, tunables }: Prediction,
  runnersUp: readonly Prediction[],
): Decision {
  const definition = kernelById(kernel);
  return {
    shape: shapeText(problem),
    kernel,
    tunables,
    address,
    basis,
    ns: Math.round(ns),
    error: Number(error.toPrecision(2)),
    passes: definition.runsOn === 'gpu' ? passesOf(definition, tunables, problem) : [],
    runnersUp: named(runnersUp.slice(0, 3)),
  };
}

interface Decided {
  /** Of the device. */
  readonly key: string;
  /** Where the decisions are from. */
  readonly head: Readonly<Record<string, unknown>>;
  /** By shape; null: nothing is known that could run it. */
  readonly decisions: readonly (readonly [shape: string, Decision | null])[];
}

/** What a grid answers for a device. Throws InputError without the device's key. */
async function decisionsOfGrid(
  { device, dtype, profile, suite: family, token }: SelectionOptions,
  server: string,
): Promise<Decided> {
  if (device === undefined) {
    throw new InputError('name the device of the grid: its page shows the key', '--device');
  }
  const site = new GridClient({ server, ...(token !== undefined && { token }) });
  // Refused here, where the lookup would answer for any GPU.
  await site.get(`devices/${encodeURIComponent(device)}`, z.unknown()).catch((error: unknown) => {
    throw error instanceof InputError && error.field === 'request'
      ? new InputError(error.message, '--device')
      : error;
  });
  const decisions: [string, Decision | null][] = [];
  for (const shape of family.shapes) {
    const problem = { op: family.op, shape, dtype } as Problem;
    const best = await site.best(problem, { device, profile });
    decisions.push([shapeText(problem), best && decisionOf(problem, best)]);
  }
  return { key: device, head: { device, server }, decisions };
}

function decisionOf(problem: Problem, best: BestVariant): Decision {
  const { address, isExact, passes, prediction, result, shipped, variant } = best;
  const known = result ?? shipped;
  return {
    shape: shapeText(problem),
    kernel: variant.kernel,
    tunables: variant.tunables,
    address,
    basis: prediction ? prediction.basis : isExact ? 'ranked' : 'nearest',
    ns: prediction
      ? Math.round(prediction.ns)
      : isExact && known
        ? Math.round(known.medianNs)
        : null,
    error: prediction ? Number(prediction.error.toPrecision(2)) : null,
    passes,
    runnersUp: named(prediction?.runnersUp ?? []),
  };
}

const named = (variants: readonly { readonly address: string; readonly ns: number }[]) =>
  variants.map(({ address, ns }) => ({ address, ns: Math.round(ns) }));

function printTable(
  { dtype, format, profile, suite: { id, op } }: SelectionOptions,
  { decisions, head, key }: Decided,
  print: (text: string) => void,
): void {
  const rows = decisions.flatMap(([, decision]) => decision ?? []);
  const unknown = decisions.flatMap(([shape, decision]) => (decision ? [] : [shape]));
  if (rows.length === 0) {
    throw new InputError(
      `nothing is known that could run a shape of ${id} in ${dtype} and profile ${profile} there: tune the device for it`,
      '--suite',
    );
  }
  if (format === 'json') {
    print(JSON.stringify({ ...head, profile, op, dtype, rows, unknown }, null, 1));
    return;
  }
  const lines = decisions.map(([shape, decision]) => [
    shape,
    decision?.address,
    decision?.basis ?? 'unknown',
    decision?.ns,
    decision?.error,
    decision?.passes
      .map(({ entryPoint, workgroups }) => `${entryPoint} ${workgroups.join('x')}`)
      .join('; '),
    key,
  ]);
  const columns = ['shape', 'variant', 'basis', 'ns', 'error', 'dispatches', 'device'];
  print(csvTable(columns, lines).trimEnd());
}

async function readEvidence(path: string): Promise<Evidence> {
  const found = await parseIfThere('--evidence', path, evidenceSchema, 'evidence');
  if (found) return found;
  throw new InputError(`${path} was not found`, '--evidence');
}

/** What choices without a shape's own times cost, and choices by other devices. */
async function regretTexts(file: Evidence, others: readonly Evidence[]): Promise<string[]> {
  const times = observationsOf(file);
  const { device: name } = file.device;
  const regrets = await inTurn(leaveOneShapeOut(times, shippedBeside(file)), file);
  const shapes = regretText(regrets, (count) => `${count} shapes of ${name} left out in turn`);
  if (others.length === 0) return [shapes];
  const names = [...new Set(others.map(({ device }) => device.device))].join(', ');
  const device = regretText(
    await inTurn(
      leaveDeviceOut(
        times,
        others.map((other) => observationsOf(other)),
      ),
      file,
    ),
    (count) => `${count} shapes of ${name}, each chosen by the evidence of ${names}`,
  );
  return [shapes, '', device];
}

/** Shape by shape, which takes minutes: it shows how far it is, and an interrupt ends it. */
async function inTurn(
  regrets: Iterable<Regret | null>,
  { shapes }: Pick<Evidence, 'shapes'>,
): Promise<Regret[]> {
  const found: Regret[] = [];
  const bar = progressBar(process.stderr, '{bar} {value} of {total} shapes chosen for');
  bar.start(shapes.length, 0);
  for (const regret of regrets) {
    if (regret) found.push(regret);
    bar.increment();
    // Signals are heard between turns of the event loop only.
    await setImmediate();
  }
  bar.stop();
  return found;
}

/** The distribution of regret, and the shapes with the most. */
function regretText(rows: readonly Regret[], what: (count: number) => string): string {
  if (rows.length === 0) return `${what(0)}: nothing to compare`;
  const regrets = rows.map(({ chosenNs, bestNs }) => chosenNs / bestNs).toSorted((a, b) => a - b);
  const mean = geometricMean(regrets) ?? Number.NaN;
  const at = (part: number) => regrets[Math.floor(part * (regrets.length - 1))] ?? Number.NaN;
  const times = (value: number) => value.toFixed(3);
  const worst = rows.toSorted((a, b) => b.chosenNs / b.bestNs - a.chosenNs / a.bestNs).slice(0, 10);
  return [
    `${what(rows.length)}; time of the choice over the best measured time:`,
    `geometric mean ${times(mean)}, median ${times(at(0.5))}, nine of ten within ${times(at(0.9))}, worst ${times(at(1))}`,
    table(
      ['shape', 'regret', 'predicted', 'chosen', 'best', 'the choice'],
      worst.map(({ problem, chosen, predictedNs, chosenNs, bestNs }) => [
        shapeText(problem),
        significant(chosenNs / bestNs),
        predictedNs === null ? '' : timeText(predictedNs),
        timeText(chosenNs),
        timeText(bestNs),
        chosen,
      ]),
      ['left', 'right', 'right', 'right', 'right', 'left'],
    ),
  ].join('\n');
}
