import { setTimeout as sleep } from 'node:timers/promises';
import {
  contributedKernelSchema,
  type DeviceRef,
  deviceSchema,
  familyById,
  outcomeReason,
  pageOf,
  parseShapes,
  type Result,
  resultSchema,
  submissionOf,
  sweepCreatedSchema,
  sweepSchema,
  workerSchema,
} from '@tilemark/core';
import { batterySweep, findingOf } from '@tilemark/core/contributed';
import { type Dtype, InputError, refuseIf, shapeText } from '@tilemark/kernels';
import { list, tunablesFor } from '../flags';
import { GridClient, type GridOptions } from '../grid/client';
import { rateText, table, timeText } from '../table';
import { admitFile, kernelFileAt } from './file';
import { exitOf, worstExit } from './finding';

export interface SubmitFlags extends GridOptions {
  readonly token: string;
  /** Comma-separated keys, or `all`. */
  readonly devices: string;
  /** Comma-separated, or a family of shapes. */
  readonly shapes: string;
  readonly dtype?: string;
  readonly tunable?: readonly string[];
  readonly wait?: boolean;
  readonly publish?: boolean;
}

/** How often a sweep that is waited for is looked at, ms. */
const LOOK_EVERY_MS = 2_000;

/** A sweep with a kernel in it. */
interface Submitted {
  readonly site: GridClient;
  readonly sweep: string;
  /** The sweep of what it is checked on, which goes before. */
  readonly check: string;
  readonly kernel: string;
  /** Devices that no worker serves which takes contributed kernels: they are not waited for. */
  readonly unserved: readonly DeviceRef[];
}

/**
 * `tilemark submit`: keeps a kernel on a grid as a version of its author's, and lets it run there
 * beside naive and the best of ours. Returns the exit code, see `CHECK_EXIT`,
 * if it was waited for.
 */
export async function submit(
  path: string,
  options: SubmitFlags,
  print: (text: string) => void,
): Promise<number> {
  const submitted = await submitFile(path, options);
  const { kernel, site, sweep, unserved } = submitted;
  print(`${kernel}\n${new URL(`/sweeps/${sweep}`, options.server).href}`);
  for (const { name } of unserved) print(`${name}: ${UNSERVED}`);
  const tell = (text: string) => void process.stderr.write(`${text}\n`);
  const exits: ReturnType<typeof exitOf>[] = [];
  if (options.publish || options.wait) {
    const checks = await resultsOf({ site, sweep: submitted.check }, tell);
    const wrong = checks.filter(
      ({ outcome }) => !['measured', 'skipped'].includes(outcome?.kind ?? ''),
    );
    if (wrong.length > 0) print(resultTable(wrong));
    exits.push(...wrong.map(({ outcome }) => exitOf(findingOf(outcome))));
    print(`check: ${checks.length - wrong.length} of ${checks.length} runs passed`);
  }
  if (options.publish && exits.length === 0) {
    await site.post(`kernels/${kernel}/publish`, contributedKernelSchema);
  } else if (options.publish) print('Not published.');
  if (!options.wait) return exits.length === 0 ? 0 : worstExit(exits);
  const results = await resultsOf(submitted, tell);
  print(resultTable(results));
  const ofKernel = results.filter(({ variant }) => variant.kernel === kernel);
  return worstExit([...exits, ...ofKernel.map(({ outcome }) => exitOf(findingOf(outcome)))]);
}

const UNSERVED = 'no worker there takes contributed kernels now; not waited for';

/** Hands a file in, checked here first, and makes a sweep of it beside others. Throws InputError. */
async function submitFile(
  path: string,
  { devices, dtype, shapes, tunable, ...grid }: SubmitFlags,
): Promise<Submitted> {
  const site = new GridClient(grid);
  const contributed = await admitFile(path, 'file');
  const { kernel } = contributed;
  const { op, epilogue } = kernel;
  const problems = {
    shapes: familyById(shapes)?.shapes ?? parseShapes(op, shapes, '--shapes'),
    dtypes: dtype === undefined ? kernel.dtypes.slice(0, 1) : (list(dtype) as Dtype[]),
  };
  const [asked] = tunablesFor([kernel], tunable);
  const { served, unserved } = await devicesOf(site, devices);
  const { author: _, ...file } = await kernelFileAt(path, 'file');
  const kept = await site.post('kernels', contributedKernelSchema, file);
  const checked = { ...contributed, kernel: { ...kernel, id: kept.id } };
  const check = await site.post('sweeps', sweepCreatedSchema, batterySweep(checked, served));
  const version = { ...problems, kernel: kept.id, tunables: asked?.tunables ?? {} };
  const spec = await submissionOf(
    { ...version, op, epilogue, devices: served },
    (problem, device) => site.best(problem, { device }),
  );
  const named = { name: kept.id.slice(0, 120), spec };
  const sweep = await site.post('sweeps', sweepCreatedSchema, named);
  return { site, sweep: sweep.id, check: check.id, kernel: kept.id, unserved };
}

/** The devices asked for, by whether a worker takes contributed kernels there. */
async function devicesOf(site: GridClient, asked: string) {
  const [devices, workers] = await Promise.all([
    site.get('devices', pageOf(deviceSchema)),
    site.get('workers', pageOf(workerSchema)),
  ]);
  const taking = workers.items.filter(({ contributed, state }) => contributed && state !== 'lost');
  const isServed = ({ key }: DeviceRef) => taking.some(({ device }) => device.key === key);
  const wanted =
    asked === 'all'
      ? devices.items.filter((device) => device.class !== 'cpu')
      : list(asked).map((key) => {
          const device = devices.items.find((item) => item.key === key);
          if (!device) throw new InputError(`there is no device ${key}`, '--devices');
          return device;
        });
  const served = wanted.filter(isServed).map(({ key }) => key);
  refuseIf(
    served.length === 0,
    'no worker of this grid takes contributed kernels there: start one with --contributed',
    '--devices',
  );
  return { served, unserved: wanted.filter((device) => !isServed(device)) };
}

/** Waits until a sweep has ended, telling how far it is, and returns what became of its runs. */
async function resultsOf(
  { site, sweep }: Pick<Submitted, 'site' | 'sweep'>,
  tell: (text: string) => void,
): Promise<Result[]> {
  let told = '';
  for (;;) {
    const { counts, status } = await site.get(`sweeps/${sweep}`, sweepSchema);
    if (status === 'done' || status === 'cancelled') break;
    const text = `${counts.total - counts.pending} of ${counts.total} runs`;
    if (text !== told) tell(text);
    told = text;
    await sleep(LOOK_EVERY_MS);
  }
  const { items } = await site.get(`sweeps/${sweep}/results?all=1`, pageOf(resultSchema));
  return items;
}

function resultTable(results: readonly Result[]): string {
  const rows = results.map(({ address, device, outcome, problem, rate }) => [
    address,
    device.name,
    `${shapeText(problem)} ${problem.dtype}`,
    outcome?.kind === 'measured' ? timeText(outcome.measurement.cold.medianNs) : '',
    rate ? rateText(rate) : (outcome?.kind ?? 'not run'),
    outcomeReason(outcome) ?? '',
  ]);
  return table(['variant', 'device', 'problem', 'median', 'rate', 'remark'], rows, [
    ...(['left', 'left', 'left', 'right', 'right', 'left'] as const),
  ]);
}
