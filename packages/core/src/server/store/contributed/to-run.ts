import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, isContributed, type Variant } from '@tilemark/kernels';
import type { RunClaim } from '../../../api/run';
import { fromJson } from '../database';
import { fileIn, type KernelRow } from './row';

/** A kernel that has cost a device this often does not run there again. */
export const LOSSES = 2;

/** The file of a run's kernel and, if it is not to be run there, why; null for a kernel of ours. */
export async function kernelToRun(
  db: Pick<PrismaClient, '$queryRaw'>,
  { kernel, deviceKey }: { readonly kernel: string; readonly deviceKey: string },
): Promise<NonNullable<RunClaim['contributed']> | null> {
  if (!isContributed(kernel)) return null;
  const [row] = await db.$queryRaw<(KernelRow & { readonly losses: number })[]>`
    SELECT k.*, (
      SELECT count(*)::int FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
      WHERE r."deviceKey" = ${deviceKey} AND r."state" = 'failed' AND r."kernel" = k."id"
        AND result."outcome" ->> 'stage' = 'device') AS "losses"
    FROM "ContributedKernel" AS k WHERE k."id" = ${kernel}`;
  if (!row) throw new InputError(`There is no kernel ${kernel}.`, 'kernel');
  const refusal = row.removedAt
    ? 'its author or an admin has removed the kernel'
    : row.losses >= LOSSES
      ? `quarantined: it has crashed or hung this device ${row.losses} times`
      : null;
  return { file: fileIn(row), refusal };
}

/** The rival of a run, with its file as `kernelToRun` has it; null: there is none. */
export async function rivalToRun(
  db: Pick<PrismaClient, '$queryRaw'>,
  { rival, deviceKey }: { readonly rival: Prisma.JsonValue; readonly deviceKey: string },
): Promise<RunClaim['rival'] | null> {
  if (rival === null) return null;
  const variant = fromJson<Variant>(rival);
  const { file, refusal = null } =
    (await kernelToRun(db, { kernel: variant.kernel, deviceKey })) ?? {};
  return { variant, ...(file && { file }), refusal };
}
