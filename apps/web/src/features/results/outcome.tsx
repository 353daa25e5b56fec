import type { Outcome } from '@tilemark/core';
import { Badge, type Tone } from '@/ui/badge';

export type OutcomeKind = Outcome['kind'] | 'pending';

const TONES: Readonly<Record<OutcomeKind, Tone>> = {
  measured: 'accent',
  skipped: 'neutral',
  incorrect: 'rose',
  failed: 'amber',
  pending: 'neutral',
};

export function OutcomeBadge({ kind }: { kind: OutcomeKind }) {
  return <Badge tone={TONES[kind]}>{kind}</Badge>;
}
