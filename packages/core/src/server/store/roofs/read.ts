import type { PrismaClient } from '@tilemark/db';
import type { RooflineRecord } from '../../../api/api';
import type { Profile } from '../../../measure/device';
import type { RooflineSurvey } from '../../../measure/roofline';
import { fromJson } from '../database';

/** The best of what was surveyed under each profile, with the survey that came last. */
export async function latestRoofs(db: PrismaClient, deviceKey: string): Promise<RooflineRecord[]> {
  const rows = await db.roof.findMany({
    where: { deviceKey },
    orderBy: { profile: 'asc' },
    include: { worker: { select: { id: true, name: true } } },
  });
  return rows.flatMap(({ content, measuredAt, profile, worker }) => {
    if (!worker) return [];
    const survey = fromJson<RooflineSurvey>(content);
    return [{ ...survey, profile, measuredAt: measuredAt.toISOString(), worker }];
  });
}

/** The roof under each profile that has one, from surveys or from results. */
export async function roofsOf(
  db: PrismaClient,
  deviceKey: string,
): Promise<ReadonlyMap<Profile, RooflineSurvey>> {
  const rows = await db.roof.findMany({ where: { deviceKey } });
  return new Map(rows.map(({ content, profile }) => [profile, fromJson(content)]));
}
