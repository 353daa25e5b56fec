import type { ShownDuel } from '@tilemark/core';
import { shortAddress } from '@tilemark/kernels';
import { Address } from '@/features/kernels/address';
import { formatCount, formatSpeedup } from '@/ui/format';
import { Panel } from '@/ui/page';
import { VerdictBadge } from './verdict';

/** How a result did in turns with its rival, or why there is no ratio. */
export function DuelResult({ of: { against, contrast, why } }: { of: ShownDuel }) {
  const rival = (
    <span title={against}>
      <Address of={shortAddress(against)} />
    </span>
  );
  return (
    <Panel className="px-4 py-3">
      {contrast ? (
        <>
          <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <VerdictBadge of={contrast.verdict} />
            <span className="text-2xl font-semibold tracking-tight">
              {formatSpeedup(contrast.ratio)}
            </span>
            <span className="text-muted">
              the speed of <span className="text-ink">{rival}</span>; 95% interval{' '}
              {formatSpeedup(contrast.low)} to {formatSpeedup(contrast.high)}
            </span>
          </p>
          <p className="mt-1 text-[0.8125rem] text-muted">
            {formatCount(contrast.rounds)} rounds. In each, both took two turns in one process, so
            that what changes slowly met both alike.
          </p>
        </>
      ) : (
        <p>
          No ratio to {rival}: {why}
        </p>
      )}
    </Panel>
  );
}
