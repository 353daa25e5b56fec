import type { AuditAction } from '@tilemark/core';

/** What was done, in words, and where what it was done to can be seen. */
export const ACTIONS: Readonly<Record<AuditAction, { did: string; page?: 'sweeps' }>> = {
  logIn: { did: 'logged in' },
  createSweep: { did: 'submitted a sweep', page: 'sweeps' },
  cancelSweep: { did: 'cancelled a sweep', page: 'sweeps' },
  retrySweep: { did: 'retried the failed runs of a sweep', page: 'sweeps' },
  importResults: { did: 'imported results', page: 'sweeps' },
  createToken: { did: 'made a token' },
  revokeToken: { did: 'revoked a token' },
  enrollWorker: { did: 'enrolled a worker' },
  drainWorker: { did: 'drained a worker' },
  pauseWorker: { did: 'paused a worker' },
  resumeWorker: { did: 'resumed a worker' },
  revokeWorker: { did: 'revoked a worker' },
  refreshCoverage: { did: 'queued stale runs again', page: 'sweeps' },
};
