import type { Occupancy } from '@tilemark/core';
import type { ReactNode } from 'react';
import { endsText, formatPercent, formatSpeedup } from '@/ui/format';
import { VariantLink } from '../../kernels/address';
import { VerdictBadge } from '../../results/verdict';
import type { Speedup } from '../runs';
import type { ResultRow } from './table-runs';

export function VariantCell({ of: { name, reason, run, varied, where } }: { of: ResultRow }) {
  return (
    <div className="min-w-44 sm:min-w-52">
      {name && <p className="font-medium">{name}</p>}
      <VariantLink address={run.address} resultId={run.resultId} varied={varied} />
      {where.length > 0 && <p className="text-xs text-muted">{where.join(', ')}</p>}
      {reason && <p className="max-w-prose text-xs wrap-anywhere text-muted">{reason}</p>}
    </div>
  );
}

/** From this ratio of its ends on, a speed-up is shown with them: it is not known to ±2%. */
const LOOSE = 1.04;

/** What the intervals of both times allow; null where they allow little. */
function rangeOf(of: Speedup): string | null {
  if (of.isOfOne) return 'one sample';
  return of.high <= LOOSE * of.low ? null : endsText(of);
}

/** A ratio; of times not known well, with what both intervals allow. */
export function SpeedupCell({ of }: { of: Speedup | undefined }) {
  if (!of) return '–';
  return <Two first={formatSpeedup(of.ratio)} below={rangeOf(of)} />;
}

/** A figure, and what is said of it below. */
export const Two = ({ first, below }: { first: string | undefined; below: ReactNode }) => (
  <>
    {first ?? '–'}
    {below && <span className="block text-xs whitespace-nowrap text-muted">{below}</span>}
  </>
);

export function DuelCell({ of: { rival, run } }: { of: ResultRow }) {
  if (!run.duel) return '–';
  const { against, contrast, why } = run.duel;
  return (
    <span title={contrast ? `${contrast.rounds} rounds in turns with ${against}` : against}>
      {contrast ? (
        <>
          {formatSpeedup(contrast.ratio)} <VerdictBadge of={contrast.verdict} />
          <span className="block text-xs text-muted">
            {formatSpeedup(contrast.low)} to {formatSpeedup(contrast.high)}
          </span>
        </>
      ) : (
        <span className="block max-w-52 text-xs whitespace-normal text-muted">no ratio: {why}</span>
      )}
      {rival && <span className="block text-xs text-muted">over {rival}</span>}
    </span>
  );
}

/** Theoretical: registers, which WebGPU does not report, may allow less. */
export function OccupancyCell({ of }: { of: Occupancy | undefined }) {
  if (!of) return '–';
  return (
    <span
      title={`${of.activeSubgroups} of ${of.maxSubgroups} warps per multiprocessor, in theory; limited by ${of.limitedBy}`}
    >
      {formatPercent(of.part)}
    </span>
  );
}
