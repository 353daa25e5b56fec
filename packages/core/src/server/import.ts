import { InputError, type TunableValue } from '@tilemark/kernels';
import type { BenchFile, Counts } from '../api';
import { deviceKey } from '../device';
import type { SweepCase, SweepSpec } from '../spec';
import { importedRun, type KnownDevice } from './imported-run';
import type { AuditNote, Author, ImportedRun, Principal, Store } from './store';
import { canonicalJson, sha256 } from './store/hash';

/**
 * Keeps the results of `tilemark bench --json` as a finished sweep, marked as brought
 * by the author: all of them or, where one is at fault, none. The same file brought
 * twice is kept once.
 *
 * @param file a body that `benchFileSchema` has accepted
 * @throws InputError naming the field at fault; DatabaseUnavailable
 */
export async function importResults(
  { store }: { readonly store: Store },
  file: BenchFile,
  author: Author & Partial<Pick<Principal, 'role'>>,
  note?: AuditNote,
): Promise<{ id: string; counts: Counts }> {
  const context = {
    now: new Date(),
    isAdmin: author.role === 'admin',
    known: await knownDevices(store, file),
  };
  const results = file.results
    .map((_, index) => importedRun(file, index, context))
    .filter((run) => run !== null);
  const [first] = results;
  if (!first) throw new InputError('The file holds no result that has ended.', 'results');
  const { id, counts } = await store.sweeps.import({
    name: `Import of ${first.environment.device.device}`.slice(0, 120),
    spec: specOf(results),
    importedBy: author.name,
    ...(author.tokenId !== undefined && { createdById: author.tokenId }),
    idempotencyKey: `import ${sha256(canonicalJson(file))}`,
    results,
    note,
  });
  return { id, counts };
}

/** What the grid knows of the devices of a file. */
async function knownDevices(store: Store, file: BenchFile): Promise<Map<string, KnownDevice>> {
  const known = new Map<string, KnownDevice>();
  const environments = [file.environment, ...file.environments];
  for (const key of new Set(environments.map((each) => deviceKey(each.device)))) {
    const device = await store.devices.get(key);
    if (!device) continue;
    known.set(key, { class: device.class, rooflines: await store.rooflines.latest(key) });
  }
  return known;
}

/** A spec that asks for what the file holds: to show it, and to run it again on its devices. */
function specOf(imported: readonly ImportedRun[]): SweepSpec {
  const runs = imported.map(({ run }) => run);
  return {
    cases: groups(runs, (run) => run.variant.kernel).flatMap(casesOfKernel),
    profiles: distinct(runs.map((run) => run.profile)),
    policy: runs[0]?.policy ?? 'default',
    devices: distinct(runs.map((run) => run.deviceKey)),
  };
}

/** One case where the variants are every combination of their values, else a case a variant. */
function casesOfKernel(runs: readonly ImportedRun['run'][]): SweepCase[] {
  const whole = caseOfRuns(runs);
  const axes = [...Object.values(whole.tunables), whole.shapes, whole.dtypes];
  const combinations = axes.reduce((product, values) => product * values.length, 1);
  const asked = distinct(runs.map(({ variant, problem }) => ({ variant, problem })));
  if (combinations === asked.length) return [whole];
  return groups(runs, (run) => canonicalJson(run.variant.tunables)).map(caseOfRuns);
}

function caseOfRuns(runs: readonly ImportedRun['run'][]): SweepCase {
  const tunables: Record<string, TunableValue[]> = {};
  for (const { variant } of runs) {
    for (const [name, value] of Object.entries(variant.tunables)) {
      tunables[name] = distinct([...(tunables[name] ?? []), value]);
    }
  }
  return {
    kernel: runs[0]?.variant.kernel ?? '',
    tunables,
    shapes: distinct(runs.map(({ problem }) => problem.shape)),
    dtypes: distinct(runs.map(({ problem }) => problem.dtype)),
  };
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const byKey = new Map<string, T[]>();
  for (const item of items) {
    const group = byKey.get(keyOf(item));
    if (group) group.push(item);
    else byKey.set(keyOf(item), [item]);
  }
  return [...byKey.values()];
}

const distinct = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [canonicalJson(item), item])).values(),
];
