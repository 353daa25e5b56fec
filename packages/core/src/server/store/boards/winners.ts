import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, type OpId, type Problem, parseProblem } from '@tilemark/kernels';
import type { Profile } from '../../../measure/device';
import type { DeviceRef } from '../../../view/device';

/** The fastest variant of a problem on a device. */
export interface Winner {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly address: string;
  readonly medianNs: number;
}

/** A device, and of how many problems of an op it has a fastest variant. */
export interface WinnersOn {
  readonly device: DeviceRef;
  readonly problems: number;
}

/** Devices with winners of an op, those with most problems first. */
export async function devicesWithWinners(db: PrismaClient, op: OpId): Promise<WinnersOn[]> {
  return db.$queryRaw<WinnersOn[]>`
    SELECT jsonb_build_object('key', device."key", 'name', device."name", 'class', device."class")
      AS "device", count(DISTINCT (best."shape", best."dtype"))::int AS "problems"
    FROM "VariantBest" AS best JOIN "Device" AS device ON device."key" = best."deviceKey"
    WHERE best."isBest" AND best."op" = ${op}
    GROUP BY device."key" ORDER BY "problems" DESC, device."key"`;
}

/** The winners of an op on a device, of two methodologies the newer one's. */
export async function winnersOn(
  db: PrismaClient,
  { key, op }: { readonly key: string; readonly op: OpId },
): Promise<Winner[]> {
  const rows = await db.variantBest.findMany({
    where: { deviceKey: key, op, isBest: true },
    orderBy: { methodology: 'asc' },
  });
  const newest = new Map(rows.map((row) => [`${row.dtype} ${row.shape} ${row.profile}`, row]));
  return [...newest.values()]
    .filter(isKnownProblem)
    .map(({ profile, address, medianNs, ...row }) => ({
      problem: parseProblem(row),
      profile,
      address,
      medianNs,
    }));
}
