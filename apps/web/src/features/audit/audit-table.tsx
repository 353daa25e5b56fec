/** The audit list: who changed what, and when. */
import type { AuditAction, AuditEntry } from '@tilemark/core';
import { kernelHref } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { DataTable } from '@/ui/table';

/** Who did what to what, newest first. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <DataTable
      caption="Audit log"
      rows={entries}
      keyOf={({ id }) => String(id)}
      rowHead={1}
      columns={[
        { head: 'When', className: 'text-muted', cell: ({ at }) => <Moment date={at} /> },
        {
          head: 'Who',
          cell: ({ actor: { id, name, role } }) => (
            <>
              <TextLink href={`/operate/audit?actor=${encodeURIComponent(id)}`}>{name}</TextLink>{' '}
              <span className="font-normal text-muted">{role}</span>
            </>
          ),
        },
        {
          head: 'Action',
          className: 'whitespace-nowrap',
          cell: ({ action }) => ACTIONS[action].did,
        },
        { head: 'Target', cell: (entry) => <Subject of={entry} /> },
      ]}
    />
  );
}

const HASH = /^[0-9a-f]{64}$/;

function Subject({ of: { action, subject, subjectName } }: { of: AuditEntry }) {
  if (!subject) return null;
  const href = subjectHref(action, subject);
  // The hash of a file is a name for programs only.
  const name = subjectName ?? (HASH.test(subject) ? `file ${subject.slice(0, 8)}` : subject);
  return (
    <>
      {href ? <TextLink href={href}>{name}</TextLink> : name}
      {name !== subject && (
        <code className="block text-2xs wrap-anywhere text-muted">{subject}</code>
      )}
    </>
  );
}

/** The page of what an action was done to; null where there is none, or no longer. */
export function subjectHref(action: AuditAction, subject: string): string | null {
  const { page } = ACTIONS[action];
  if (!page) return null;
  return page === 'kernels' ? kernelHref(subject) : `/${page}/${encodeURIComponent(subject)}`;
}

type SubjectPage = 'sweeps' | 'results' | 'kernels';

/** Each action in words, and the kind of page that shows its subject. */
export const ACTIONS: Readonly<Record<AuditAction, { did: string; page?: SubjectPage }>> = {
  logIn: { did: 'logged in' },
  createSweep: { did: 'submitted a sweep', page: 'sweeps' },
  createTuning: { did: 'began to tune a device', page: 'sweeps' },
  cancelSweep: { did: 'cancelled a sweep', page: 'sweeps' },
  retrySweep: { did: 'retried the failed runs of a sweep', page: 'sweeps' },
  importResults: { did: 'imported results', page: 'sweeps' },
  importReference: { did: 'imported reference figures' },
  confirmResult: { did: 'confirmed a result', page: 'results' },
  createToken: { did: 'created a token' },
  revokeToken: { did: 'revoked a token' },
  createInvite: { did: 'created an invite' },
  redeemInvite: { did: 'joined with an invite' },
  revokeInvite: { did: 'revoked an invite' },
  enrollWorker: { did: 'attached a worker' },
  drainWorker: { did: 'drained a worker' },
  pauseWorker: { did: 'paused a worker' },
  resumeWorker: { did: 'resumed a worker' },
  revokeWorker: { did: 'revoked a worker' },
  refreshCoverage: { did: 'requeued stale runs', page: 'sweeps' },
  contributeKernel: { did: 'contributed a kernel', page: 'kernels' },
  publishKernel: { did: 'published a kernel', page: 'kernels' },
  removeKernel: { did: 'removed a kernel' },
  sendAlarm: { did: 'sent an alarm to the webhook', page: 'results' },
};
