import type { PrismaClient } from '@tilemark/db';
import { idsOf, OPS, type OpId, parseProblem, rateOf } from '@tilemark/kernels';
import { greatest } from 'd3-array';
import type { Result } from '../../../api/api';
import type { Profile } from '../../../measure/device';
import type { RooflineSurvey } from '../../../measure/roofline';
import { type Headline, headlines } from '../boards/headlines';
import { fromJson } from '../database';

/** A device in a list, beside itself. */
export interface DeviceSummary {
  /** The fastest of each op, of its problems' bests: of those that are ranked, where one is. */
  readonly bests: readonly (Pick<Result, 'problem' | 'profile' | 'address'> & {
    readonly resultId: string;
    readonly rate: NonNullable<Result['rate']>;
    /** Why it is not ranked; null if it is. */
    readonly unranked: string | null;
    /** Brought in a file, not measured by a worker of this grid. */
    readonly isImported: boolean;
  })[];
  readonly roofs: readonly (RooflineSurvey & { readonly profile: Profile })[];
}

/** The summaries of devices, by device. */
export async function deviceSummaries(
  db: PrismaClient,
  keys: readonly string[],
): Promise<ReadonlyMap<string, DeviceSummary>> {
  const [bests, roofs] = await Promise.all([
    headlines(db, { deviceKey: keys, isBest: true }),
    db.roof.findMany({ where: { deviceKey: { in: [...keys] } } }),
  ]);
  return new Map(
    keys.map((key) => {
      const isOn = ({ deviceKey }: { readonly deviceKey: string }) => deviceKey === key;
      const onDevice = bests.filter(isOn);
      return [
        key,
        {
          bests: idsOf(OPS).flatMap((op) => bestOf(onDevice, op) ?? []),
          roofs: roofs
            .filter(isOn)
            .map(({ content, profile }) => ({ ...fromJson<RooflineSurvey>(content), profile })),
        },
      ];
    }),
  );
}

function bestOf(
  onDevice: readonly Headline[],
  of: OpId,
): DeviceSummary['bests'][number] | undefined {
  const all = onDevice.filter(({ op }) => op === of);
  const ranked = all.filter(({ unranked }) => unranked === null);
  const best = greatest(
    ranked.length > 0 ? ranked : all,
    (row) => rateOf(parseProblem(row), row.placedNs).value,
  );
  if (!best) return undefined;
  const { address, imported, medianNs, profile, resultId, unranked } = best;
  const problem = parseProblem(best);
  const rate = rateOf(problem, medianNs);
  return { problem, profile, address, resultId, rate, unranked, isImported: imported !== null };
}
