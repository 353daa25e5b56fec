import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, type Variant } from '@tilemark/kernels';
import { admitKernel } from '../../contributed/kernel';
import { fileOf, isContributed } from '../../contributed/known';
import type { KernelFile } from '../../contributed/manifest';
import type { ClaimedRun } from '../../link/wire';
import { fromJson } from './database';

// Contributed kernels as runs need them; `contributed.ts` is where they are kept and changed.

/** A kernel that has cost a device this often does not run there again. */
export const LOSSES = 2;

export type KernelRow = Prisma.ContributedKernelGetPayload<object>;

/**
 * Why devices run no more contributed kernels for a token; null: they do. A run counts with whatever
 * time workers have had it, ended or not, and as the rival of one of ours too.
 *
 * @param gpuSeconds that a token has within a day; 0: no limit
 */
export async function overTime(
  db: Pick<PrismaClient, '$queryRaw'>,
  tokenId: string,
  gpuSeconds: number,
): Promise<string | null> {
  if (gpuSeconds === 0) return null;
  const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
    SELECT sum(r."usedSeconds" + CASE WHEN r."state" = 'running'
      THEN extract(epoch FROM now() - r."claimedAt") ELSE 0 END)::float8 AS "seconds"
    FROM "Sweep" AS s JOIN "Run" AS r ON r."sweepId" = s."id"
    WHERE s."createdById" = ${tokenId} AND r."claimedAt" > now() - interval '1 day'
      AND strpos(concat(r."kernel", r."rival" ->> 'kernel'), '@') > 0`;
  if ((row?.seconds ?? 0) < gpuSeconds) return null;
  return `contributed kernels of this token have used ${gpuSeconds} s of devices' time within a day, the most that this grid allows`;
}

/** What a worker of a device is told; null for a kernel of ours. */
export async function kernelToRun(
  db: Pick<PrismaClient, '$queryRaw'>,
  { kernel, deviceKey }: { readonly kernel: string; readonly deviceKey: string },
): Promise<NonNullable<ClaimedRun['contributed']> | null> {
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

/** What a worker is told of the variant that a run takes turns with; null: there is none. */
export async function rivalToRun(
  db: Pick<PrismaClient, '$queryRaw'>,
  { rival, deviceKey }: { readonly rival: Prisma.JsonValue; readonly deviceKey: string },
): Promise<ClaimedRun['rival'] | null> {
  if (rival === null) return null;
  const variant = fromJson<Variant>(rival);
  const { file, refusal = null } =
    (await kernelToRun(db, { kernel: variant.kernel, deviceKey })) ?? {};
  return { variant, ...(file && { file }), refusal };
}

/** Makes a stored kernel known to this process, removed or not: its results are still reconsidered. */
export async function admitStored(
  db: Pick<PrismaClient, 'contributedKernel'>,
  id: string,
): Promise<void> {
  if (!isContributed(id) || fileOf(id)) return;
  const row = await db.contributedKernel.findUnique({ where: { id } });
  if (row) await admitKernel(fileIn(row));
}

const fileIn = ({ author, manifest, source }: KernelRow): KernelFile => ({
  author,
  source,
  ...(manifest !== null && { manifest }),
});
