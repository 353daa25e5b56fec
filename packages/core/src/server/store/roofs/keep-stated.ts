import type { Prisma } from '@tilemark/db';
import { group } from 'd3-array';
import type { Profile } from '../../../measure/device';
import type { RooflineSurvey } from '../../../measure/roofline';
import { bestOf, raisedBy, statedRates } from '../../../measure/stated-rates';
import { canonicalJson, fromJson, toJson } from '../database';
import { lockDevice, moveRoofs } from './move';

/** A result of the run, as `statedRates` reads it. */
type Stating = Parameters<typeof statedRates>[0][number] & {
  readonly runId: string;
  readonly deviceKey: string;
  readonly profile: Profile;
};

/**
 * Keeps what measured results state above the roof of their device, as their workers probed it beside
 * them. What trusted ones state raises it; that of others does once they are trusted.
 */
export async function keepStated(
  tx: Prisma.TransactionClient,
  results: readonly Stating[],
): Promise<void> {
  const stating = results.filter(({ measurement }) => measurement.roof);
  const kept = await tx.result.findMany({
    where: { runId: { in: stating.map(({ runId }) => runId) } },
    select: { id: true, runId: true, workerId: true, tokenId: true, trusted: true },
  });
  const whose = new Map(kept.map((result) => [result.runId, result]));
  for (const [deviceKey, onDevice] of group(stating, (result) => result.deviceKey)) {
    await lockDevice(tx, deviceKey);
    const roofs = await tx.roof.findMany({ where: { deviceKey } });
    const known = new Map(
      roofs.map(({ content, profile }) => [`${profile} true`, fromJson<RooflineSurvey>(content)]),
    );
    const raising = onDevice.flatMap((result) => {
      const by = whose.get(result.runId);
      if (!by) return [];
      const { id: resultId, tokenId, trusted, workerId } = by;
      const { profile } = result;
      // What one token states says nothing against what another does.
      const place = `${profile} ${trusted || tokenId}`;
      const roof = known.get(place) ?? known.get(`${profile} true`) ?? NOTHING;
      const stated = statedRates([result]);
      const raised = roof === NOTHING ? stated : raisedBy(roof, stated);
      if (canonicalJson(raised) === canonicalJson(bestOf(roof, NOTHING))) return [];
      known.set(place, raised);
      const content = toJson(stated);
      return { deviceKey, profile, resultId, workerId, tokenId, content, trusted };
    });
    await tx.roofline.createMany({ data: raising.map(({ trusted: _, ...row }) => row) });
    if (raising.some(({ trusted }) => trusted)) await moveRoofs(tx, deviceKey);
  }
}

const NOTHING = statedRates([]);
