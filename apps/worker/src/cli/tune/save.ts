import { writeFile } from 'node:fs/promises';
import {
  deviceKey,
  type Environment,
  type Evidence,
  evidenceSchema,
  type Result,
  type Winner,
} from '@tilemark/core';
import { InputError, ifValid, parseVariant, shapeText } from '@tilemark/kernels';
import { atFlag, parseIfThere } from '../flags';
import { timeText } from '../table';

/** The head of a file of evidence, which all of it shares. */
type EvidenceHead = Pick<Evidence, 'device' | 'profile' | 'op' | 'dtype'>;

/** The evidence in a file; null: there is none. Throws InputError at `--save` if it is of something else. */
export async function evidenceAt(path: string, head: EvidenceHead): Promise<Evidence | null> {
  const file = await parseIfThere('--save', path, evidenceSchema, 'evidence');
  const textOf = ({ device, profile, op, dtype }: EvidenceHead) =>
    [deviceKey(device), op, dtype, profile].join(' ');
  if (file && textOf(file) !== textOf(head)) {
    throw new InputError(
      `${path} is of ${textOf(file)}, and this of ${textOf(head)}: choose another file`,
      '--save',
    );
  }
  return file;
}

export const writeEvidence = (path: string, evidence: Evidence): Promise<void> =>
  atFlag('--save', writeFile(path, `${JSON.stringify(evidence)}\n`));

/**
 * Puts the winner of a search into a file of evidence, in place of what it had for the shape; creates
 * the file if there is none. A short search makes nothing worse: a different variant that the file
 * has stays unless the winner beats it in a duel on this device now. Returns why the winner was not
 * kept; null: it was. Throws InputError at `--save` if the file is of something else.
 *
 * @param beats whether the winner is FAST against the variant of this address; null: it does not run
 */
export async function saveWinner(
  path: string,
  winner: Result,
  environment: Environment,
  search: { readonly command: string; readonly tried: number },
  beats: (before: string) => Promise<boolean | null>,
): Promise<string | null> {
  const { outcome, problem, profile, address, endedAt } = winner;
  if (outcome?.kind !== 'measured' || !endedAt) throw new TypeError('the winner was measured');
  const { device, driver, runtimeVersions } = environment;
  const { op, dtype } = problem;
  const head = { device, profile, op, dtype };
  const file = await evidenceAt(path, head);
  const { cold, unranked } = outcome.measurement;
  if (unranked !== null) return `${path} keeps what would be ranked only, and this is ${unranked}`;
  const { medianNs, lowNs, highNs } = cold;
  const conditions = { measuredAt: endedAt, driver, runtimeVersions };
  const found: Winner = {
    shape: shapeText(problem),
    address,
    profile,
    medianNs,
    lowNs,
    highNs,
    ...conditions,
    origin: { by: 'tuner', ...search },
  };
  const isOfPlace = (other: Winner) => other.shape === found.shape && other.profile === profile;
  const earlier = file?.measured.find(isOfPlace);
  // One of a kernel or tunables that no longer exist cannot stay.
  const before = ifValid(() => parseVariant(earlier?.address ?? ''))?.address;
  const isAnother = before !== undefined && before !== parseVariant(address).address;
  if (earlier && isAnother && (await beats(before)) === false) {
    return `${path} already has a better variant: ${timeText(earlier.medianNs)}, ${earlier.address}`;
  }
  const others = (file?.measured ?? []).filter((other) => !isOfPlace(other));
  const measured = [...others, found].toSorted((a, b) => a.shape.localeCompare(b.shape));
  const begun = { ...head, ...conditions, command: search.command, variants: [], shapes: [] };
  await writeEvidence(path, { ...(file ?? begun), measured });
  return null;
}
