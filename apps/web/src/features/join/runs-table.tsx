import { rateOf } from '@tilemark/kernels';
import { VariantLink } from '@/features/kernels/address';
import { medianColumn, PROBLEM, rateColumn } from '@/features/results/columns';
import { type Column, DataTable } from '@/ui/table';
import type { EndedHere } from './lending';

/** What a tab has measured. */
export function RunsTable({
  caption,
  runs,
  place,
}: {
  caption: string;
  runs: readonly EndedHere[];
  place?: Column<EndedHere>;
}) {
  return (
    <DataTable
      caption={caption}
      rows={runs}
      keyOf={({ runId }) => runId}
      columns={[
        {
          head: 'Variant',
          cell: (run) => (
            <>
              <VariantLink address={run.address} resultId={null} />
              <span className="block text-xs wrap-anywhere text-muted">{whyUnmeasured(run)}</span>
            </>
          ),
        },
        PROBLEM,
        rateColumn((run: EndedHere) => {
          const times = timesOf(run);
          return times && rateOf(run.problem, times.medianNs);
        }),
        medianColumn(timesOf),
        ...(place ? [place] : []),
      ]}
    />
  );
}

export const timesOf = ({ outcome }: Pick<EndedHere, 'outcome'>) =>
  outcome?.kind === 'measured' ? outcome.measurement.cold : null;

function whyUnmeasured({ outcome }: EndedHere): string | null {
  if (!outcome || outcome.kind === 'measured') return null;
  if (outcome.kind === 'skipped') return `skipped: ${outcome.why}`;
  return outcome.kind === 'failed' ? `failed: ${outcome.message}` : outcome.kind;
}
