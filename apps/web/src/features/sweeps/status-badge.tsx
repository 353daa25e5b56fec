import type { Counts, Sweep } from '@tilemark/core';
import { Badge, type Tone } from '@/ui/badge';

const TONES: Readonly<Record<Sweep['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  done: 'neutral',
  cancelled: 'amber',
};

/** Cancelled, and a run that had begun is still being measured. */
export const isCancelling = (status: Sweep['status'], { pending }: Counts): boolean =>
  status === 'cancelled' && pending > 0;

export function StatusBadge({ status, counts }: { status: Sweep['status']; counts: Counts }) {
  return <Badge tone={TONES[status]}>{isCancelling(status, counts) ? 'cancelling' : status}</Badge>;
}
