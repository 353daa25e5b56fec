import { InputError } from '@tilemark/kernels';
import type { BenchFile, Counts } from '../api';
import { deviceKey } from '../device';
import { importedRun, type KnownDevice } from './imported-run';
import { importedSweep } from './imported-sweep';
import type { AuditNote, Author, Principal, Store } from './store';
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
  const { spec, suite, title } = importedSweep(results);
  const { id, counts } = await store.sweeps.import({
    name: `Import of ${first.environment.device.device}: ${title}`.slice(0, 120),
    suite,
    spec,
    importedBy: author.name,
    ...(author.tokenId !== undefined && { createdById: author.tokenId }),
    contentHash: sha256(canonicalJson(file)),
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
