import { resolve } from 'node:path';
import { messageOf, outcomeReason, type Profile } from '@tilemark/core';
import { bareVariant, InputError, shortAddress } from '@tilemark/kernels';
import { installedRelease } from '../../gpu/dawn';
import { withMachineLock } from '../../run/machine-lock';
import { ratioText, variantOf } from '../duel';
import { type ProblemFlags, problemOf } from '../flags';
import type { GridOptions } from '../grid/client';
import { uniqueFlag } from '../on-device';
import { problemText, WAITING } from '../table';
import { BetweenReleases } from './between-releases';
import { releasesBetween } from './releases';
import { type Bisected, bisectReleases, fromUsableToUsable, type Held, wordOf } from './search';

export interface BisectFlags extends ProblemFlags, Partial<GridOptions> {
  /** Absent: the oldest release. */
  readonly from?: string;
  /** Absent: the one that is installed. */
  readonly to?: string;
  readonly device: string;
  readonly profile: Profile;
  readonly duels: number;
  readonly folder: string;
}

/**
 * Names the first release of `webgpu` under which a variant is slower, faster or wrong. Throws
 * InputError, and Error if it cannot be measured under the oldest.
 */
export async function bisect(
  text: string,
  options: BisectFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<void> {
  const { device: wanted, duels, from, profile, to = installedRelease() } = options;
  const variant = await variantOf(text, options, 'variant');
  if (variant.definition.runsOn === 'cpu') {
    throw new InputError(`${variant.kernel} runs on the host, without webgpu`, 'variant');
  }
  const { definition } = variant;
  const problem = problemOf(definition.op, options, [definition]);
  const listed = await releasesBetween(from, to);
  const device = await uniqueFlag(wanted, childEntry);
  const measured = { variant: bareVariant(variant), problem, device, profile };
  const between = new BetweenReleases(resolve(options.folder), childEntry, measured);

  const opens = async (release: string): Promise<boolean> => {
    const reason = await between.identify(release).then(() => null, messageOf);
    if (reason !== null) {
      const [line] = reason.split('\n');
      print(`${release}: passed over, as it does not open the device: ${line}`);
    }
    return reason === null;
  };
  const releases = await fromUsableToUsable(listed, opens);
  const [first, last] = [releases[0], releases.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    const few = first === undefined ? 'none' : `${first} alone`;
    throw new InputError(
      `of these releases, ${few} opens the device. Choose an older one`,
      '--from',
    );
  }
  const { device: name } = await between.identify(last);
  const what = `${shortAddress(variant.address)}, ${problem.op} ${problemText(problem)}`;
  print(`${name}, profile ${profile}, ${what}`);
  print(`webgpu ${first} to ${last}: ${releases.length} releases`);
  const hold = async (release: string, against: string) => {
    if (!(await opens(release))) return null;
    const work = () => between.hold(release, against, duels);
    const finding = await withMachineLock(work, { onWait: () => print(WAITING) });
    print(heldText({ release, against, finding }));
    return finding;
  };
  print(bisectedText(await bisectReleases(releases, hold)));
}

/** `0.6.1: SLOW: 0.9100 times as fast as 0.6.0 (95%: ...)`. */
function heldText({ release, against, finding }: Held): string {
  const text =
    finding.kind === 'dueled'
      ? ratioText(finding, against)
      : `${finding.outcome.kind}: ${outcomeReason(finding.outcome)}`;
  return `${release}: ${text}`;
}

const CHANGES: Readonly<Record<string, (first: string) => string>> = {
  SLOW: (first) => `is slower than ${first}`,
  FAST: (first) => `is faster than ${first}`,
  incorrect: () => 'is wrong',
  failed: () => 'fails',
  skipped: () => 'cannot run it',
};

/** The finding of a bisection, in a sentence. */
export function bisectedText({ found, held, unusable }: Bisected): string {
  const [ends] = held;
  if (!ends) throw new RangeError('nothing was measured');
  const { release: last, against: first, finding } = ends;
  const word = wordOf(finding);
  if (found === null) {
    const none = `${last} and ${first} do not differ`;
    return word === 'SAME'
      ? `${none}: there is nothing to bisect.`
      : `${none} by more than these duels can tell: --duels with a greater number narrows the interval.`;
  }
  const others =
    unusable.length === 0
      ? ''
      : `, or of those that do not open the device: ${unusable.join(', ')}`;
  return `The first release that ${CHANGES[word]?.(first)}: ${found}${others}.`;
}
