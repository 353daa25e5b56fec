import type { PrismaClient } from '@tilemark/db';
import type { AuditAction } from '../../api';
import type { Store } from '../store';
import { PAGE_SIZE, pageOf } from './page';

export function auditOf(db: PrismaClient): Store['audit'] {
  return {
    async record({ action, by, subject }) {
      const { tokenId: actorId, name: actor, role: actorRole } = by;
      await db.audit.create({ data: { action, actor, actorId, actorRole, subject } });
    },

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
          })),
      );
    },
  };
}
