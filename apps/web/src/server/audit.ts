import type { AuditAction } from '@tilemark/core';
import type { Principal } from '@tilemark/core/server';
import { log } from './log';
import type { Services } from './services';

/**
 * Keeps who did what. It is done by now: where the list cannot be written, the log says
 * so, and the answer stays what it is.
 */
export async function audit(
  { store }: Pick<Services, 'store'>,
  entry: { action: AuditAction; by: Principal; subject: string | null },
): Promise<void> {
  try {
    await store.audit.record(entry);
  } catch (error) {
    log.error({ err: error, ...entry }, 'the audit list could not be written');
  }
}
