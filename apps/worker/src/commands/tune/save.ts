import { readFile, writeFile } from 'node:fs/promises';
import {
  deviceKey,
  type Environment,
  type RunResult,
  type TunedFile,
  type TunedVariant,
  tunedFileSchema,
} from '@tilemark/core';
import { InputError, parseVariant, shapeText } from '@tilemark/kernels';

/**
 * Puts the winner of a search into a file of tuned variants, in place of what it had for
 * the problem and profile; the file is made where there is none. A short search makes
 * nothing worse: another variant stays, and is returned, that was faster under the same
 * driver and runtime, or that is ranked where the winner is not. Throws InputError at
 * `--save` when the file is of another kind or of another device.
 */
export async function saveTuned(
  path: string,
  winner: RunResult,
  environment: Environment,
  search: { readonly command: string; readonly tried: number },
): Promise<TunedVariant | null> {
  const { outcome, problem, profile, address, endedAt } = winner;
  if (outcome?.kind !== 'measured' || !endedAt) throw new TypeError('the winner was measured');
  const { device, driver, runtimeVersions } = environment;
  const before = await readTuned(path);
  if (before && deviceKey(before.device) !== deviceKey(device)) {
    throw refused(`${path} is of ${before.device.device}, and this is ${device.device}`);
  }
  const { cold, unranked } = outcome.measurement;
  const { medianNs, lowNs, highNs } = cold;
  const found: TunedVariant = {
    problem,
    profile,
    address,
    medianNs,
    lowNs,
    highNs,
    measuredAt: endedAt,
    unranked,
    driver,
    runtimeVersions,
    found: { by: 'tuner', ...search },
  };
  const stays = before?.variants.find((each) => staysBefore(each, found));
  if (stays) return stays;
  const others = (before?.variants ?? []).filter((each) => placeOf(each) !== placeOf(found));
  const variants = [...others, found].toSorted((a, b) => placeOf(a).localeCompare(placeOf(b)));
  const file: TunedFile = { device, variants };
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`).catch((error: unknown) => {
    throw refused(String(error));
  });
  return null;
}

/** Whether a variant of the file is another one, and was better under the same conditions. */
function staysBefore(before: TunedVariant, found: TunedVariant): boolean {
  const conditions = ({ driver, runtimeVersions }: TunedVariant) =>
    JSON.stringify([driver, Object.entries(runtimeVersions).toSorted()]);
  return (
    placeOf(before) === placeOf(found) &&
    conditions(before) === conditions(found) &&
    before.unranked === null &&
    isAnotherVariant(before.address, found.address) &&
    (found.unranked !== null || before.medianNs < found.medianNs)
  );
}

/** False also where the file's variant is of a kernel or tunables that are no more. */
function isAnotherVariant(before: string, found: string): boolean {
  try {
    return parseVariant(before).address !== parseVariant(found).address;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

const placeOf = ({ problem, profile }: Pick<TunedVariant, 'problem' | 'profile'>) =>
  [problem.op, problem.dtype, shapeText(problem), profile].join(' ');

async function readTuned(path: string): Promise<TunedFile | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw refused(String(error));
  }
  try {
    return tunedFileSchema.parse(JSON.parse(text));
  } catch {
    throw refused(`${path} is no file of tuned variants: choose another`);
  }
}

const refused = (message: string) => new InputError(message, '--save');
