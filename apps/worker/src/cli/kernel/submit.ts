import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ContributedKernel,
  contributedKernelSchema,
  type DeviceRef,
  deviceQueueSchema,
  deviceSchema,
  familyById,
  kernelDetailSchema,
  outcomeReason,
  pageOf,
  type RunResult,
  runResultSchema,
  submissionOf,
  sweepCreatedSchema,
  sweepSchema,
  workerSchema,
} from '@tilemark/core';
import {
  type Dtype,
  defaultsOf,
  InputError,
  type OpId,
  parseShape,
  type Regime,
  refuseIf,
  type Shape,
  shapeText,
} from '@tilemark/kernels';
import { list, tunablesFor } from '../flags';
import { GridClient, type GridOptions } from '../grid/client';
import { rateText, table, timeText } from '../table';
import { proofShapes } from './check';
import { admitFile, kernelFileAt } from './file';
import { exitOf, findingOf, worstExit } from './finding';

export interface SubmitFlags extends GridOptions {
  readonly token: string;
  /** Comma-separated keys, or `all`. */
  readonly devices: string;
  /** Comma-separated, or a family of shapes. */
  readonly shapes: string;
  readonly dtype?: string;
  readonly tunable?: readonly string[];
  readonly regime?: Regime;
  readonly wait?: boolean;
  readonly publish?: boolean;
}

/** How often a sweep that is waited for is looked at, ms. */
const LOOK_EVERY_MS = 2_000;

/** A sweep with a kernel in it. */
export interface Submitted {
  readonly site: GridClient;
  readonly sweep: string;
  readonly kernel: string;
  /** Devices that no worker serves which takes contributed kernels: they are not waited for. */
  readonly unserved: readonly DeviceRef[];
  /** Keys of the others. */
  readonly served: readonly string[];
}

/**
 * `tilemark submit`: keeps a kernel on a grid as a version of its author's, and lets it run there
 * beside naive, the best of ours, and the version before it. Returns the exit code, see `CHECK_EXIT`,
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
  if (options.publish) await site.post(`kernels/${kernel}/publish`, contributedKernelSchema);
  if (!options.wait) return 0;
  const results = await resultsOf(submitted, (text) => void process.stderr.write(`${text}\n`));
  print(resultTable(results));
  const ofKernel = results.filter(({ variant }) => variant.kernel === kernel);
  return worstExit(ofKernel.map(({ outcome }) => exitOf(findingOf(outcome))));
}

/** Verifies a submitted kernel over the shapes that kernels get wrong, on the devices of its sweep. */
export async function submitProof(
  path: string,
  { kernel, served, site }: Submitted,
  regime?: Regime,
): Promise<Pick<Submitted, 'site' | 'sweep'>> {
  const contributed = await admitFile(path, 'file');
  const { dtypes, tunables } = contributed.kernel;
  const shapes = proofShapes(contributed, defaultsOf(tunables));
  const { id: sweep } = await site.post('sweeps', sweepCreatedSchema, {
    name: `${kernel}, verified`.slice(0, 120),
    spec: {
      cases: [{ kernel, tunables: {}, shapes, dtypes }],
      policy: 'smoke',
      regime,
      devices: served,
    },
  });
  return { site, sweep };
}

export const UNSERVED = 'no worker there takes contributed kernels now; not waited for';

/**
 * Hands a file in, checked here first, and makes a sweep of it: beside others, or in duels with a
 * baseline. Throws InputError.
 */
export async function submitFile(
  path: string,
  { devices, dtype, regime, shapes, tunable, ...grid }: SubmitFlags,
  baseline?: string,
): Promise<Submitted> {
  const site = new GridClient(grid);
  const { kernel } = await admitFile(path, 'file');
  const { op, epilogue } = kernel;
  const problems = {
    shapes: shapesOf(op, shapes),
    dtypes: dtype === undefined ? kernel.dtypes.slice(0, 1) : (list(dtype) as Dtype[]),
  };
  const [asked] = tunablesFor([kernel], tunable);
  const { served, unserved } = await devicesOf(site, devices);
  if (baseline) await admitFile(baseline, '--baseline');
  const rival = baseline && (await keep(site, baseline));
  const kept = await keep(site, path);
  const version = { ...problems, kernel: kept.id, tunables: asked?.tunables ?? {} };
  const spec = rival
    ? {
        cases: [{ ...version, rival: { kernel: rival.id, tunables: {} } }],
        devices: served,
        epilogue,
      }
    : await submissionOf({ ...version, op, epilogue, devices: served }, (problem, device) =>
        site.best(problem, { device }),
      );
  const earlier = rival ? [] : await earlierOf(site, kept, problems);
  const sweep = await site.post('sweeps', sweepCreatedSchema, {
    name: (rival ? `${kept.id} against ${rival.id}` : kept.id).slice(0, 120),
    spec: { ...spec, cases: [...spec.cases, ...earlier], regime },
  });
  return { site, sweep: sweep.id, kernel: kept.id, served, unserved };
}

async function keep(site: GridClient, path: string): Promise<ContributedKernel> {
  const { author: _, ...file } = await kernelFileAt(path, 'file');
  return site.post('kernels', contributedKernelSchema, file);
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

interface Problems {
  readonly shapes: readonly Shape[];
  readonly dtypes: readonly Dtype[];
}

/** The author's version before this one, if it does the same. */
async function earlierOf(
  site: GridClient,
  { author, id, name, op }: ContributedKernel,
  problems: Problems,
) {
  const { items } = await site.get('kernels/contributed', pageOf(contributedKernelSchema));
  const earlier = items.find(
    (item) => item.author === author && item.name === name && item.op === op && item.id !== id,
  );
  if (!earlier) return [];
  const { dtypes } = await site.get(`kernels/${earlier.id}`, kernelDetailSchema);
  const isAble = problems.dtypes.every((dtype) => dtypes.includes(dtype));
  return isAble ? [{ ...problems, kernel: earlier.id, tunables: {} }] : [];
}

function shapesOf(op: OpId, text: string): readonly Shape[] {
  return familyById(text)?.shapes ?? list(text).map((shape) => parseShape(op, shape, '--shapes'));
}

/** Waits until a sweep has ended, telling how far it is, and returns what became of its runs. */
export async function resultsOf(
  { site, sweep }: Pick<Submitted, 'site' | 'sweep'>,
  tell: (text: string) => void,
): Promise<RunResult[]> {
  let told = '';
  for (;;) {
    const { counts, status } = await site.get(`sweeps/${sweep}`, sweepSchema);
    if (status === 'done' || status === 'cancelled') break;
    const text = `${counts.total - counts.pending} of ${counts.total} runs${await queueText(site)}`;
    if (text !== told) tell(text);
    told = text;
    await sleep(LOOK_EVERY_MS);
  }
  const { items } = await site.get(`sweeps/${sweep}/results?all=1`, pageOf(runResultSchema));
  return items;
}

/** Who has how many runs waiting, and for how long. */
async function queueText(site: GridClient): Promise<string> {
  const { items } = await site.get('queues', pageOf(deviceQueueSchema));
  return items
    .filter(({ waiting }) => waiting > 0)
    .map(({ device, etaMs, serving, waiting }) => {
      const eta = etaMs === null ? '' : `, about ${Math.ceil(etaMs / 60_000)} min`;
      return `; ${device.name}: ${serving > 0 ? `${waiting} waiting${eta}` : 'no worker'}`;
    })
    .join('');
}

function resultTable(results: readonly RunResult[]): string {
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
