import { createHash } from 'node:crypto';
import { InputError } from '@tilemark/kernels';
import { NotAdmitted } from '../../link/link';
import { deviceKey } from '../../measure/device';
import { pauses } from '../../schema/maxima';
import type { BenchFile, SweepImported } from '../../view/api';
import { OPERATOR } from '../gate/parties';
import type { AuditNote, Principal } from '../store/audit';
import { canonicalJson } from '../store/database';
import type { ImportedRun } from '../store/imported-sweeps';
import type { Author } from '../store/new-sweeps';
import type { Store } from '../store/store';
import { importedRun, type KnownDevice } from './check';
import { importedSweep } from './spec';

/**
 * Results that come in a file: what `tilemark bench --json` writes becomes a finished sweep, marked
 * as brought by the author. All of it is kept or, if anything is at fault, none; the same results
 * are kept once, whichever file they come in. Nothing that can be recomputed is believed: `check.ts`
 * believes each result as far as a worker's, `spec.ts` finds the suite or sweep the results make up,
 * and the store writes them in one transaction.
 *
 * @param file a body that `benchFileSchema` has accepted
 * @throws InputError naming the field at fault; NotAdmitted for a worker that no invite let in;
 *   ServiceUnavailable
 */
export async function importResults(
  { store }: { readonly store: Store },
  file: BenchFile,
  author: Author & Partial<Pick<Principal, 'role'>>,
  note?: AuditNote,
): Promise<SweepImported> {
  const isAdmin = author.role === 'admin';
  const party = isAdmin ? OPERATOR : await partyOf(store, author);
  const context = { now: new Date(), isAdmin, known: await knownDevices(store, file, party) };
  const results: ImportedRun[] = [];
  const pause = pauses();
  for (const index of file.results.keys()) {
    const run = importedRun(file, index, context);
    if (run) results.push(run);
    await pause();
  }
  const [first] = results;
  if (!first) throw new InputError('The file contains no finished result.', 'results');
  const { spec, suite, title } = importedSweep(results);
  return store.sweeps.import({
    name: `Import of ${first.environment.device.device}: ${title}`.slice(0, 120),
    suite,
    spec,
    importedBy: author.name,
    party,
    createdById: author.tokenId ?? null,
    contentHash: await contentHash(file),
    results,
    note,
  });
}

/** Who stands behind a file: its author, or whoever made the invite that the author came by. */
async function partyOf(
  store: Store,
  { role, tokenId }: Author & Partial<Pick<Principal, 'role'>>,
): Promise<string | null> {
  if (role !== 'worker' || tokenId === undefined) return tokenId ?? null;
  const party = await store.invites.partyOf(tokenId);
  if (party !== null) return party;
  throw new NotAdmitted(
    'This token attaches a machine and publishes no files: use that of a member or of an invite.',
  );
}

/** SHA-256 of the file's canonical JSON, which may be long, a result at a time. */
export async function contentHash({ results, ...rest }: BenchFile): Promise<string> {
  const [before, after] = canonicalJson({ ...rest, results: [] }).split('"results":[]');
  const hash = createHash('sha256').update(`${before}"results":[`);
  const pause = pauses();
  for (const [index, result] of results.entries()) {
    hash.update(`${index > 0 ? ',' : ''}${canonicalJson(result)}`);
    await pause();
  }
  return hash.update(`]${after}`).digest('hex');
}

/** What the grid already knows about the devices in a file. */
async function knownDevices(
  store: Store,
  file: BenchFile,
  party: string | null,
): Promise<Map<string, KnownDevice>> {
  const known = new Map<string, KnownDevice>();
  const environments = [file.environment, ...file.environments];
  for (const key of new Set(environments.map((entry) => deviceKey(entry.device)))) {
    const device = await store.devices.get(key);
    if (!device) continue;
    known.set(key, { class: device.class, roofs: await store.rooflines.roofs(key, party) });
  }
  return known;
}
