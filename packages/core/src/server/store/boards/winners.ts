import type { PrismaClient } from '@tilemark/db';
import { type OpId, type Problem, parseProblem } from '@tilemark/kernels';
import type { DeviceRef } from '../../../api/device';
import type { Profile } from '../../../measure/device';
import { deviceRefOf } from '../columns';
import { headlines, PROBLEM } from './headlines';

/** The fastest variant of a problem on a device. */
export interface Winner {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly address: string;
  readonly medianNs: number;
}

/** A device, and of how many problems of an op it has a fastest variant. */
interface WinnersOn {
  readonly device: DeviceRef;
  readonly problems: number;
}

/** Devices with winners of an op, those with most problems first. */
export async function devicesWithWinners(db: PrismaClient, op: OpId): Promise<WinnersOn[]> {
  return db.$queryRaw<WinnersOn[]>`
    SELECT ${deviceRefOf('device')}, count(DISTINCT (best."shape", best."dtype"))::int AS "problems"
    FROM "VariantBest" AS best JOIN "Device" AS device ON device."key" = best."deviceKey"
    WHERE best."isBest" AND best."op" = ${op}
    GROUP BY device."key" ORDER BY "problems" DESC, device."key"`;
}

/** The winners of an op on a device, of two methodologies the newer one's. */
export async function winnersOn(
  db: PrismaClient,
  { key, op }: { readonly key: string; readonly op: OpId },
): Promise<Winner[]> {
  const rows = await headlines(db, { deviceKey: key, op, isBest: true }, { per: PROBLEM });
  return rows.map(({ profile, address, medianNs, ...row }) => ({
    problem: parseProblem(row),
    profile,
    address,
    medianNs,
  }));
}
