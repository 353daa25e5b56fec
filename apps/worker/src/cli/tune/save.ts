import { writeFile } from 'node:fs/promises';
import {
  deviceKey,
  type Environment,
  type RunResult,
  type TunedVariant,
  tunedFileSchema,
} from '@tilemark/core';
import { InputError, parseVariant, shapeText } from '@tilemark/kernels';
import { atFlag, parseIfThere } from '../flags';

/**
 * Puts the winner of a search into a file of tuned variants, in place of what it had for
 * the problem and profile; creates the file if there is none. A short search makes nothing
 * worse: a different variant that the file has stays, and is returned, unless the winner beats it
 * in a duel on this device now; or if it was ranked and the winner is not. Throws InputError at
 * `--save` if the file is of another kind or another device.
 *
 * @param beats whether the winner is FAST against the variant of this address; null: it does not run
 */
export async function saveTuned(
  path: string,
  winner: RunResult,
  environment: Environment,
  search: { readonly command: string; readonly tried: number },
  beats: (before: string) => Promise<boolean | null>,
): Promise<TunedVariant | null> {
  const { outcome, problem, profile, address, endedAt } = winner;
  if (outcome?.kind !== 'measured' || !endedAt) throw new TypeError('the winner was measured');
  const { device, driver, runtimeVersions } = environment;
  const before = await parseIfThere('--save', path, tunedFileSchema, 'tuned variants');
  if (before && deviceKey(before.device) !== deviceKey(device)) {
    throw new InputError(
      `${path} is of ${before.device.device}, but this is ${device.device}`,
      '--save',
    );
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
  const earlier = before?.variants.find(
    (variant) =>
      placeOf(variant) === placeOf(found) && isAnotherVariant(variant.address, found.address),
  );
  if (earlier && (await staysBefore(earlier, found, beats))) return earlier;
  const others = (before?.variants ?? []).filter((variant) => placeOf(variant) !== placeOf(found));
  const variants = [...others, found].toSorted((a, b) => placeOf(a).localeCompare(placeOf(b)));
  const lines = variants.map((variant) => JSON.stringify(variant)).join(',\n');
  const text = `{"device":${JSON.stringify(device)},"variants":[\n${lines}\n]}\n`;
  await atFlag('--save', writeFile(path, text));
  return null;
}

async function staysBefore(
  earlier: TunedVariant,
  found: TunedVariant,
  beats: (before: string) => Promise<boolean | null>,
): Promise<boolean> {
  if (earlier.unranked === null && found.unranked !== null) return true;
  return (await beats(earlier.address)) === false;
}

/** False also if the file's variant is of a kernel or tunables that no longer exist. */
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
