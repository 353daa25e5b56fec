/** The workbench: for each problem and GPU the variant to run, its time with an error, and where that is from. */
import { type BestQuery, type BestVariant, deviceKey, driverText, isOn } from '@tilemark/core';
import { quoteOf, type Store } from '@tilemark/core/server';
import { DTYPES, type Problem, shapeText } from '@tilemark/kernels';
import { formatShape, plural } from '@/ui/format';
import { shippedDevices } from '../winners/winners';
import { problemsOf, type Question } from './query';

/** A GPU to choose. */
export interface Gpu {
  /** A device key, or `vendor/architecture`. */
  readonly id: string;
  readonly name: string;
  /** What is known of it. */
  readonly from: 'grid' | 'shipped' | 'unmeasured';
}

const VENDORS = [
  ['apple', 'Apple'],
  ['intel', 'Intel'],
  ['amd', 'AMD'],
  ['nvidia', 'NVIDIA, another'],
  ['qualcomm', 'Qualcomm'],
] as const;

/** The GPUs that can be chosen: of this grid, those that ship, and vendors. */
export async function gpusOf(store: Store): Promise<Gpu[]> {
  const devices = await store.devices.names();
  const own = devices.filter(({ class: kind }) => kind === 'gpu' || kind === 'browser');
  const software = devices.filter(({ class: kind }) => kind === 'software');
  const models = shippedDevices().filter(
    (identity) => !own.some(({ key }) => isOn(identity, { key })),
  );
  return [
    ...own.map(({ key, name }) => ({ id: key, name, from: 'grid' as const })),
    ...models.map((identity) => ({
      id: deviceKey(identity),
      name: identity.device,
      from: 'shipped' as const,
    })),
    ...software.map(({ key, name }) => ({ id: key, name, from: 'grid' as const })),
    ...VENDORS.map(([id, name]) => ({ id, name, from: 'unmeasured' as const })),
  ];
}

export interface TableRow {
  readonly gpu: Gpu;
  readonly problem: Problem;
  /** Null: no variant is known. */
  readonly best: BestVariant | null;
  /** Expected time, ns; null where nobody has timed it. */
  readonly ns: number | null;
  /** Standard deviation of the time, relative. */
  readonly error: number;
  readonly source: string;
  /** What must be known before it is used. */
  readonly remark: string | null;
}

/** The answers of a question, problem by problem. */
export async function tableOf(
  store: Store,
  question: Question,
  known: readonly Gpu[],
): Promise<TableRow[]> {
  const gpus = question.gpus.map((id) => known.find((gpu) => gpu.id === id) ?? vendorOf(id));
  const rows: TableRow[] = [];
  for (const problem of problemsOf(question)) {
    for (const gpu of gpus) rows.push(await rowOf(store, problem, gpu, question.profile));
  }
  return rows;
}

/** One that is in no list. */
export const vendorOf = (id: string): Gpu => ({
  id,
  name: id.replace('/', ' '),
  from: 'unmeasured',
});

async function rowOf(
  store: Store,
  problem: Problem,
  gpu: Gpu,
  profile: Question['profile'],
): Promise<TableRow> {
  const asked = await store.best(bestQuery(problem, gpu, profile));
  // Halves are a feature, which a driver may offer under one profile alone.
  const isHalf = DTYPES[problem.dtype].feature !== null;
  const other = profile === 'default' ? 'fast' : 'default';
  const isElsewhere = asked?.prediction && asked.prediction.profile !== profile;
  const isWeak = !asked || isElsewhere || asked.fallback === 'portable';
  const offered = isHalf && isWeak ? await store.best(bestQuery(problem, gpu, other)) : null;
  const best = offered && offered.fallback !== 'portable' ? offered : asked;
  if (!best) {
    return { gpu, problem, best, ns: null, error: 0, source: 'nothing known', remark: null };
  }
  const isUnmeasured = best.fallback === 'portable';
  const quote = isUnmeasured ? null : quoteOf(best);
  const remarks = [
    ...(best.profile !== profile
      ? [`${problem.dtype} is not offered under ${profile}; this is for ${other}`]
      : isElsewhere
        ? [`timed under ${asked?.prediction?.profile}`]
        : []),
    ...(problem.epilogue && !isUnmeasured ? ['timed without its epilogue'] : []),
  ];
  return {
    ...{ gpu, problem, best },
    ns: quote?.ns ?? null,
    error: quote?.error ?? 0,
    source: sourceOf(best),
    remark: remarks.join('; ') || null,
  };
}

const bestQuery = (
  { op, shape, dtype, epilogue }: Problem,
  { id, from }: Pick<Gpu, 'id' | 'from'>,
  profile: Question['profile'],
): BestQuery => {
  const [vendor = '', architecture] = id.split('/');
  return {
    op,
    dtype,
    profile,
    ...shape,
    ...(epilogue && { epilogue }),
    ...(from === 'unmeasured' ? { vendor, architecture } : { device: id }),
  };
};

/** Where an answer is from, in a few words. */
export function sourceOf({
  fallback,
  isExact,
  measured,
  prediction,
  result,
  shipped,
}: BestVariant) {
  if (prediction) {
    const on = `${prediction.device}, ${driverText(prediction.driver)}`;
    return prediction.basis === 'measured'
      ? `screened on ${on}`
      : `predicted from ${plural(prediction.shapes, 'shape')} on ${on}`;
  }
  const scaled = isExact ? '' : `, scaled from ${formatShape(shapeText(measured))}`;
  if (shipped) return `shipped: ${shipped.device}, ${driverText(shipped.driver)}${scaled}`;
  if (result) return `measured on ${result.device.name}${scaled}`;
  return fallback === 'portable' ? 'unmeasured: portable default' : 'nothing known';
}
