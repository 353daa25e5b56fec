import type { Prisma, PrismaClient } from '@tilemark/db';
import type { AuditAction, AuditEntry, Page } from '../../view/api';
import { PAGE_SIZE, pageOf } from './database';

export type Role = 'member' | 'admin' | 'worker';

/** Who acts: a token that is neither revoked nor expired. */
export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
}

/** Who does what: an entry of the audit list, written by the transaction that does it. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly by: Principal;
}

/** Writes the entry for what `tx` does, if there is a note: neither exists without the other. */
export async function noted(
  tx: Prisma.TransactionClient,
  note: AuditNote | undefined,
  subject: string | null,
): Promise<void> {
  if (!note) return;
  const { tokenId: actorId, name: actor, role: actorRole } = note.by;
  await tx.audit.create({ data: { action: note.action, actor, actorId, actorRole, subject } });
}

interface AuditQuery {
  readonly cursor?: string | undefined;
  readonly actorId?: string | undefined;
  readonly action?: AuditAction | undefined;
}

export function auditOf(db: PrismaClient) {
  return {
    /** Notes what has no transaction of its own, before it is done. */
    record: (note: AuditNote, subject: string | null) => noted(db, note, subject),

    /** Newest first. */
    async list({ cursor, actorId, action }: AuditQuery = {}): Promise<Page<AuditEntry>> {
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
      const { items, nextCursor } = pageOf(rows, (row) => row.id);
      const names = await namesOf(
        db,
        items.flatMap(({ subject }) => subject ?? []),
      );
      const entries = items.map((row) => ({
        id: row.id,
        at: row.at.toISOString(),
        action: row.action as AuditAction,
        actor: { id: row.actorId, name: row.actor, role: row.actorRole },
        subject: row.subject,
        subjectName: names.get(row.subject ?? '') ?? null,
      }));
      return { items: entries, nextCursor };
    },
  };
}

/** Names of sweeps, tokens and workers, by id. */
async function namesOf(db: PrismaClient, ids: string[]): Promise<ReadonlyMap<string, string>> {
  const asked = { where: { id: { in: ids } }, select: { id: true, name: true } };
  const found = await Promise.all([
    db.sweep.findMany(asked),
    db.token.findMany(asked),
    db.worker.findMany(asked),
    db.invite.findMany(asked),
  ]);
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}
