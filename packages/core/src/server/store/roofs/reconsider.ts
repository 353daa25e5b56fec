import type { Prisma } from '@tilemark/db';
import { judge } from '../../../gate/judge';
import { Refused } from '../../../link/link';
import type { DeviceClass, Profile } from '../../../measure/device';
import type { RooflineSurvey } from '../../../measure/roofline';
import { moveBests } from '../boards/move';
import { outcomeColumns, restoreOutcome, runOf, STANDING } from '../columns';
import { admitStored } from '../contributed/admit';

/**
 * Reconsiders the results that a roof holds for after it has moved: what was not believed may be
 * under a higher one, and what was ranked may be implausible under a lower one.
 */
export async function reconsider(
  tx: Prisma.TransactionClient,
  {
    deviceClass,
    deviceKey,
    isRaised,
    profile,
  }: {
    readonly deviceKey: string;
    readonly profile: Profile;
    readonly deviceClass: DeviceClass;
    /** No rate of it fell. */
    readonly isRaised: boolean;
  },
  roof: RooflineSurvey,
): Promise<void> {
  const results = await tx.result.findMany({
    where: {
      medianNs: { not: null },
      run: { deviceKey, profile },
      standing: { in: [STANDING.disbelieved, ...(isRaised ? [] : [STANDING.ranked])] },
    },
    include: { run: true, source: true },
  });
  const changed: string[] = [];
  for (const { source, run, ...row } of results) {
    await admitStored(tx, run.kernel);
    const outcome = judge(
      restoreOutcome(row),
      {
        ...runOf(run),
        deviceClass,
        seed: row.tokenId === null || row.importedBy ? null : run.seed,
        // Files do not say what ran.
        wgsl: row.importedBy ? undefined : (source?.wgsl ?? null),
      },
      roof,
    );
    if (outcome instanceof Refused || outcome.kind !== 'measured') continue;
    if (outcome.measurement.unranked === row.unranked) continue;
    const { outcome: kept, standing = null, unranked = null } = outcomeColumns(outcome);
    await tx.result.update({ where: { id: row.id }, data: { outcome: kept, standing, unranked } });
    changed.push(row.id);
  }
  await moveBests(tx, changed);
}
