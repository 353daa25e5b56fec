import { METHODOLOGY_VERSION } from '@tilemark/core';
import { Notice } from '@/ui/notice';
import type { LoadedView } from './view';

/** Says of results of an earlier version of the methodology that they are. */
export function OldMethodology({ board: { methodology }, hasOwn }: LoadedView) {
  if (methodology >= METHODOLOGY_VERSION || !hasOwn) return null;
  return (
    <Notice tone="amber" className="mt-4">
      The results of devices here were measured by methodology {methodology}, an earlier version of
      the protocol (this does not affect reference figures). They are kept as they were and never
      ranked beside results of methodology {METHODOLOGY_VERSION}.
    </Notice>
  );
}
