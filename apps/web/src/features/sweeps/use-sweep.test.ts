import { describe, expect, it } from 'vitest';
import { isCancelling } from './status-badge';
import { hasEnded } from './use-sweep';

const counts = { total: 3, pending: 0, measured: 2, skipped: 1, incorrect: 0, failed: 0 };

describe('a cancelled sweep', () => {
  it('goes on while a run that had begun is being measured', () => {
    expect(hasEnded('cancelled', { ...counts, pending: 1 })).toBe(false);
    expect(isCancelling('cancelled', { ...counts, pending: 1 })).toBe(true);
  });

  it('has ended with its last run, as a finished one has', () => {
    expect(hasEnded('cancelled', counts)).toBe(true);
    expect(isCancelling('cancelled', counts)).toBe(false);
    expect(hasEnded('done', counts)).toBe(true);
    expect(hasEnded('running', { ...counts, pending: 1 })).toBe(false);
  });
});
