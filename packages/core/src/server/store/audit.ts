import type { Prisma, PrismaClient } from '@tilemark/db';
import type { AuditAction } from '../../api';
import type { AuditNote, Store } from '../store';
import { PAGE_SIZE, pageOf } from './page';

/** Writes the entry of what `tx` does, where there is to be one: neither stands without the other. */
export async function noted(
  tx: Prisma.TransactionClient,
  note: AuditNote | undefined,
  subject: string | null,
): Promise<void> {
  if (!note) return;
  const { tokenId: actorId, name: actor, role: actorRole } = note.by;
  await tx.audit.create({ data: { action: note.action, actor, actorId, actorRole, subject } });
}

export function auditOf(db: PrismaClient): Store['audit'] {
  return {
    record: (note, subject) => noted(db, note, subject),

    async list({ cursor, actorId, action } = {}) {
      const rows = await db.audit.findMany({
        where: {
          ...(cursor !== undefined && { id: { lt: cursor } }),
          ...(actorId !== undefined && { actorId }),
          ...(action !== undefined && { action }),
        },
        // Ids ascend with time.
        orderBy: { id: 'desc' },
        take: PAGE_SIZE + 1,
      });
      const names = await namesOf(
        db,
        rows.flatMap(({ subject }) => (subject === null ? [] : [subject])),
      );
      return pageOf(
        rows,
        (row) => row.id,
        (shown) =>
          shown.map((row) => ({
            id: row.id,
            at: row.at.toISOString(),
            action: row.action as AuditAction,
            actor: { id: row.actorId, name: row.actor, role: row.actorRole },
            subject: row.subject,
            subjectName: names.get(row.subject ?? '') ?? null,
          })),
      );
    },
  };
}

/** What sweeps, tokens and workers are called, by id. */
async function namesOf(db: PrismaClient, ids: string[]): Promise<ReadonlyMap<string, string>> {
  const asked = { where: { id: { in: ids } }, select: { id: true, name: true } };
  const found = await Promise.all([
    db.sweep.findMany(asked),
    db.token.findMany(asked),
    db.worker.findMany(asked),
  ]);
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}
