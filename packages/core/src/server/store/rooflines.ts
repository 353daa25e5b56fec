import type { PrismaClient } from '@tilemark/db';
import type { RooflineSurvey } from '../../roofline-survey';
import type { Store } from '../store';
import { fromJson, toJson } from './json';

export function rooflinesOf(db: PrismaClient): Store['rooflines'] {
  return {
    async record({ deviceKey, profile, workerId, survey }) {
      await db.roofline.create({
        data: { deviceKey, profile, workerId, content: toJson(survey) },
      });
    },

    async latest(deviceKey) {
      const rows = await db.roofline.findMany({
        where: { deviceKey },
        orderBy: [{ profile: 'asc' }, { id: 'desc' }],
        distinct: ['profile'],
        include: { worker: { select: { id: true, name: true } } },
      });
      return rows.map(({ content, measuredAt, profile, worker }) => ({
        ...fromJson<RooflineSurvey>(content),
        profile,
        measuredAt: measuredAt.toISOString(),
        worker,
      }));
    },
  };
}
