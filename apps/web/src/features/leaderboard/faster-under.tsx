import { bestOfKernels, PROFILES, type ReferenceFigure } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';
import { TextLink } from '@/ui/button';
import { formatCount, formatRate } from '@/ui/format';
import {
  bestsOfFigures,
  bestsOfRows,
  type Faster,
  fasterThan,
  type KnownBest,
  nameOf,
} from './faster-profile';
import { type BoardQuery, boardHref } from './query';

/**
 * Of which devices of a view the fastest kernel is known under another profile.
 *
 * @param here what the view shows of devices of this grid
 * @param figures of reference on the problem, if the view shows any
 */
export async function fasterUnder(
  store: Store,
  problem: Problem | null,
  here: readonly KnownBest[],
  figures: readonly ReferenceFigure[],
  { dtype, op, profile }: BoardQuery,
): Promise<Faster[]> {
  if (!problem) return [];
  const known = [...here, ...bestsOfFigures(bestOfKernels(figures, profile))];
  // Libraries have no profile: hardware may be shown with theirs alone.
  const names = [...here, ...figures.map(({ hardware }) => ({ name: hardware ?? '' }))];
  return Promise.all(
    PROFILES.filter((each) => each !== profile).map(async (other) => {
      const asked = { op, dtype, profile: other, shape: shapeText(problem) };
      const there = [
        ...bestsOfRows((await store.leaderboard(asked)).rows),
        ...bestsOfFigures(bestOfKernels(figures, other)),
      ];
      return {
        profile: other,
        devices: fasterThan(
          names.map(({ name }) => name),
          known,
          there,
        ),
      };
    }),
  );
}

/** Those devices, in a line above a view. */
export function FasterUnder({
  faster,
  query,
  problem,
}: {
  faster: readonly Faster[];
  query: BoardQuery;
  /** The one shown. */
  problem: Problem;
}) {
  const shape = shapeText(problem);
  const unit = opOf(problem).rateUnit(problem);
  return faster.map(
    ({ devices, profile }) =>
      devices.length > 0 && (
        <p key={profile} className="mb-2 text-xs">
          Fastest kernel under{' '}
          <TextLink href={boardHref(query, { profile, shape })}>profile {profile}</TextLink>:{' '}
          {devices
            .slice(0, MOST_FASTER)
            .map(
              ({ kernel, name, rate }) =>
                `${name} ${formatRate(rate)} ${unit} with ${nameOf(kernel)}`,
            )
            .join('; ')}
          {devices.length > MOST_FASTER &&
            `; and ${formatCount(devices.length - MOST_FASTER)} more`}
          .
        </p>
      ),
  );
}

/** Devices named in the line. */
const MOST_FASTER = 5;
