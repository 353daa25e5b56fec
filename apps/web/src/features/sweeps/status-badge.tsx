import type { Sweep } from '@tilemark/core';
import { Badge, type Tone } from '@/ui/badge';

const TONES: Readonly<Record<Sweep['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  done: 'neutral',
  cancelled: 'amber',
};

export function StatusBadge({ status }: { status: Sweep['status'] }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
