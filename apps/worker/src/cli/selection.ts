import {
  csvTable,
  deviceKey,
  type Evidence,
  evidenceSchema,
  type Family,
  geometricMean,
  isOn,
  leaveDeviceOut,
  leaveOneShapeOut,
  observationsOf,
  type Profile,
  type Regret,
  Selector,
  shippedEvidence,
} from '@tilemark/core';
import {
  type Dtype,
  InputError,
  kernelById,
  type Problem,
  passesOf,
  shapeText,
} from '@tilemark/kernels';
import { parseIfThere } from './flags';
import { significant, table, timeText } from './table';

export interface SelectionOptions {
  readonly device?: string;
  /** Files. */
  readonly evidence?: readonly string[];
  readonly suite: Family;
  readonly dtype: Dtype;
  readonly profile: Profile;
  readonly format: 'csv' | 'json';
  readonly regret?: boolean;
}

/**
 * `tilemark table`: the selector's decisions over a family of shapes, to paste into a library; with
 * `--regret`, how good such decisions are on shapes that were left out. Throws InputError.
 */
export async function selection(
  options: SelectionOptions,
  print: (text: string) => void,
): Promise<void> {
  const { suite: family, dtype, profile } = options;
  const own = await Promise.all((options.evidence ?? []).map(readEvidence));
  const key = options.device;
  const isAsked = (each: Evidence) =>
    each.op === family.op && each.dtype === dtype && each.profile === profile;
  const shipped = shippedEvidence().filter(isAsked);
  const file = (own.length > 0 ? own : shipped).find(
    (each) => isAsked(each) && (key === undefined || isOn(each.device, { key })),
  );
  if (!file) {
    throw new InputError(
      `nothing was measured for ${family.op} ${dtype} in profile ${profile}${key ? ` on ${key}` : ''}: run tilemark tune --suite ${family.id} --dtype ${dtype} --profile ${profile} --save evidence.json there, then add --evidence evidence.json`,
      own.length > 0 ? '--evidence' : '--device',
    );
  }
  const observations = observationsOf(file);
  if (options.regret) {
    const isOther = ({ device }: Evidence) => deviceKey(device) !== deviceKey(file.device);
    const others = [...own.filter(isAsked), ...shipped].filter(isOther);
    return print(regretTexts(file, others).join('\n'));
  }
  const selector = new Selector(observations);
  const rows = family.shapes.flatMap((shape) => {
    const problem = { op: family.op, shape, dtype } as Problem;
    const [best, ...others] = selector.rank(problem, () => true);
    if (!best) return [];
    const kernel = kernelById(best.kernel);
    return [
      {
        shape: shapeText(problem),
        kernel: best.kernel,
        tunables: best.tunables,
        address: best.address,
        basis: best.basis,
        ns: Math.round(best.ns),
        error: Number(best.error.toPrecision(2)),
        passes: kernel.runsOn === 'gpu' ? passesOf(kernel, best.tunables, problem) : [],
        runnersUp: others.slice(0, 3).map(({ address, ns }) => ({ address, ns: Math.round(ns) })),
      },
    ];
  });
  const { device, driver, measuredAt, command, shapes } = file;
  if (options.format === 'json') {
    const head = { device, driver, profile, op: family.op, dtype, measuredAt, command };
    return print(JSON.stringify({ ...head, shapesMeasured: shapes.length, rows }, null, 1));
  }
  const lines = rows.map(({ shape, address, basis, ns, error, passes }) => [
    shape,
    address,
    basis,
    ns,
    error,
    passes.map(({ entryPoint, workgroups }) => `${entryPoint} ${workgroups.join('x')}`).join('; '),
  ]);
  print(csvTable(['shape', 'variant', 'basis', 'ns', 'error', 'dispatches'], lines).trimEnd());
}

async function readEvidence(path: string): Promise<Evidence> {
  const found = await parseIfThere('--evidence', path, evidenceSchema, 'evidence');
  if (found) return found;
  throw new InputError(`${path} was not found`, '--evidence');
}

/** What choices without a shape's own times cost, and choices by other devices. */
function regretTexts(file: Evidence, others: readonly Evidence[]): string[] {
  const own = observationsOf(file);
  const shapes = regretText(leaveOneShapeOut(own), (count) => `${count} shapes left out in turn`);
  if (others.length === 0) return [shapes];
  const names = [...new Set(others.map(({ device }) => device.device))].join(', ');
  const device = regretText(
    leaveDeviceOut(own, others.map(observationsOf)),
    (count) => `${count} shapes of ${file.device.device}, each chosen by the evidence of ${names}`,
  );
  return [shapes, '', device];
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
