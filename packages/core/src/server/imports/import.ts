import { createHash } from 'node:crypto';
import { InputError } from '@tilemark/kernels';
import type { BenchFile, SweepImported } from '../../api/api';
import { NotAdmitted } from '../../link/link';
import { deviceKey } from '../../measure/hardware';
import { pauses } from '../../schema/maxima';
import { SUITES, suiteRef } from '../../suites/suites';
import { canonicalJson } from '../store/database';
import type { Principal } from '../store/principal';
import type { Store } from '../store/store';
import type { ImportedResult } from '../store/sweeps/import';
import type { Author } from '../store/sweeps/insert';
import { type GridDevice, importedRun } from './check';
import { importedSweep } from './spec';

/**
 * Results that come in a file: what `tilemark bench --json` writes becomes a finished sweep, marked
 * as brought by the author. All of it is kept or, if anything is at fault, none; the same file is kept
 * once. Nothing that can be recomputed is believed: `check.ts` believes each result as far as a
 * worker's, `spec.ts` finds the sweep that asks for them, and the store writes them in one transaction.
 *
 * @param file a body that `benchFileSchema` has accepted
 * @param own the contributed kernel whose source came along: others are refused
 * @throws InputError naming the field at fault; NotAdmitted for a worker that no invite let in;
 *   ServiceUnavailable
 */
export async function importResults(
  { store }: { readonly store: Store },
  file: BenchFile,
  author: Author & Partial<Pick<Principal, 'role'>>,
  own?: string,
): Promise<SweepImported> {
  const { role, tokenId = null } = author;
  if (role === 'worker' && !(await store.invites.of(tokenId))) {
    throw new NotAdmitted(
      'This token attaches a machine and publishes no files: use that of a member or of an invite.',
    );
  }
  const context = { now: new Date(), devices: await gridDevices(store, file), own };
  const results: ImportedResult[] = [];
  const pause = pauses();
  for (const index of file.results.keys()) {
    const run = importedRun(file, index, context);
    if (run) results.push(run);
    await pause();
  }
  const [first] = results;
  if (!first) throw new InputError('The file contains no finished result.', 'results');
  // Of one that this release does not have, nothing could be said.
  const suite = SUITES.find((known) => suiteRef(known) === file.suite);
  const { spec, title } = importedSweep(results, suite?.id);
  return store.sweeps.import({
    name: `Import of ${first.environment.device.device}: ${title}`.slice(0, 120),
    suite: suite ? suiteRef(suite) : null,
    spec,
    importedBy: author.name,
    tokenId,
    contentHash: await contentHash(file),
    results,
  });
}

/** SHA-256 of the contents of a file, which may be long. */
async function contentHash({ results, ...rest }: BenchFile): Promise<string> {
  const hash = createHash('sha256').update(canonicalJson(rest));
  const pause = pauses();
  for (const result of results) {
    hash.update(canonicalJson(result));
    await pause();
  }
  return hash.digest('hex');
}

/** The devices of a file that the grid already has. */
async function gridDevices(store: Store, file: BenchFile): Promise<Map<string, GridDevice>> {
  const devices = new Map<string, GridDevice>();
  const environments = [file.environment, ...file.environments];
  for (const key of new Set(environments.map((entry) => deviceKey(entry.device)))) {
    const device = await store.devices.get(key);
    if (!device) continue;
    devices.set(key, { class: device.class, roofs: await store.rooflines.roofs(key) });
  }
  return devices;
}
