import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  contributedKernelSchema,
  deviceQueueSchema,
  FAMILIES,
  outcomeReason,
  pageOf,
  type RunResult,
  runResultSchema,
  sweepCreatedSchema,
  sweepSchema,
} from '@tilemark/core';
import { type OpId, parseShape, type Shape, shapeText } from '@tilemark/kernels';
import { list, readIfThere, tunablesFor } from '../flags';
import { GridClient, type GridOptions } from '../grid-client';
import { significant, table, timeText } from '../table';
import { admitFile } from './file';

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

/** Kernels of the same sweep, the author's first. */
export interface Submitted {
  readonly site: GridClient;
  readonly sweep: string;
  readonly kernels: readonly string[];
}

/**
 * `tilemark submit`: keeps a kernel on a grid as a version of its author's, and lets it run there
 * beside naive. Returns the exit code: 1 if it was waited for and is wrong somewhere.
 */
export async function submit(
  path: string,
  options: SubmitFlags,
  print: (text: string) => void,
): Promise<number> {
  const submitted = await submitFiles([path], options);
  const { kernels, site, sweep } = submitted;
  const [id = ''] = kernels;
  print(`${id}\n${new URL(`/sweeps/${sweep}`, options.server).href}`);
  if (options.publish) await site.post(`kernels/${id}/publish`, contributedKernelSchema);
  if (!options.wait) return 0;
  const results = await resultsOf(submitted, (text) => void process.stderr.write(`${text}\n`));
  print(resultTable(results));
  const own = results.filter(({ variant }) => variant.kernel === id);
  return own.some(({ outcome }) => isBad(outcome?.kind)) ? 1 : 0;
}

/** Hands files in, checked here first, and makes one sweep of them and naive. Throws InputError. */
export async function submitFiles(
  paths: readonly string[],
  { devices, dtype, shapes, tunable, ...grid }: SubmitFlags,
): Promise<Submitted> {
  const site = new GridClient(grid);
  const kernels: string[] = [];
  const cases: object[] = [];
  for (const path of paths) {
    const { kernel } = await admitFile(path, 'file');
    const source = await readFile(path, 'utf8');
    const manifest = await readIfThere('file', path.replace(/\.wgsl$/, '.json'));
    const file = { source, ...(manifest !== null && { manifest }) };
    const { id } = await site.post('kernels', contributedKernelSchema, file);
    const [asked] = tunablesFor([kernel], tunable);
    const of = {
      shapes: shapesOf(kernel.op, shapes),
      dtypes: dtype === undefined ? kernel.dtypes.slice(0, 1) : list(dtype),
    };
    kernels.push(id);
    cases.push({ ...of, kernel: id, tunables: asked?.tunables ?? {} });
    if (cases.length === 1) cases.unshift({ ...of, kernel: `${kernel.op}/naive`, tunables: {} });
  }
  const sweep = await site.post('sweeps', sweepCreatedSchema, {
    name: kernels.join(' and ').slice(0, 120),
    spec: { cases, ...(devices !== 'all' && { devices: list(devices) }) },
  });
  return { site, sweep: sweep.id, kernels };
}

function shapesOf(op: OpId, text: string): readonly Shape[] {
  const family = FAMILIES.find(({ id }) => id === text);
  return family ? family.shapes : list(text).map((each) => parseShape(op, each, '--shapes'));
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

export const isBad = (kind: string | undefined): boolean =>
  kind === 'incorrect' || kind === 'failed';

function resultTable(results: readonly RunResult[]): string {
  const rows = results.map(({ address, device, outcome, problem, rate }) => [
    address,
    device.name,
    `${shapeText(problem)} ${problem.dtype}`,
    outcome?.kind === 'measured' ? timeText(outcome.measurement.cold.medianNs) : '',
    rate ? `${significant(rate.value)} ${rate.unit}` : (outcome?.kind ?? 'not run'),
    outcomeReason(outcome) ?? '',
  ]);
  return table(['variant', 'device', 'problem', 'median', 'rate', 'remark'], rows, [
    ...(['left', 'left', 'left', 'right', 'right', 'left'] as const),
  ]);
}
