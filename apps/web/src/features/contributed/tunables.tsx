import type { DeviceRef, Sweep } from '@tilemark/core';
import type { ContributedResults } from '@tilemark/core/server';
import { kernelById, shapeText } from '@tilemark/kernels';
import { TuneForm } from '@/features/devices/tune-form';
import { VariantLink } from '@/features/kernels/address';
import { StatusBadge } from '@/features/sweeps/progress';
import { FastestTime } from '@/features/sweeps/tuning';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { Facts, Rate } from '@/ui/facts';
import { Panel, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { NoContributedWorker } from './no-worker';
import { tunablesSweep } from './tunables-sweep';

/** The tunables of a contributed kernel, searches of them, and how to begin one. */
export function Tunables({
  id,
  results: { runs, searches },
  devices,
  maySubmit,
}: {
  id: string;
  results: ContributedResults;
  /** Those that run contributed kernels. */
  devices: readonly DeviceRef[];
  maySubmit: boolean;
}) {
  const { dtypes, op, tunables } = kernelById(id);
  if (tunables.length === 0) return null;
  const versionRuns = runs.filter(({ variant }) => variant.kernel === id);
  const sweep = tunablesSweep(id, tunables, versionRuns);
  const [first] = versionRuns;
  return (
    <Section
      id="tunables"
      title="Tunables"
      actions={
        maySubmit &&
        sweep && (
          <Action url="/api/v1/sweeps" body={sweep} opens="/sweeps" look="plain">
            Sweep all values
          </Action>
        )
      }
    >
      <Panel>
        <Facts
          facts={tunables.map(({ about, name, values }) => ({
            name,
            about,
            value: <code>{values.join(' ')}</code>,
          }))}
        />
        {maySubmit && (
          <div className="border-t border-line p-4">
            {devices.length > 0 ? (
              <TuneForm
                devices={devices}
                kernel={{ id, op, dtypes, shape: first ? shapeText(first.problem) : '512' }}
              />
            ) : (
              <p className="text-xs text-muted">
                <NoContributedWorker />
              </p>
            )}
          </div>
        )}
      </Panel>
      {searches.length > 0 && <Searches sweeps={searches} />}
    </Section>
  );
}

function Searches({ sweeps }: { sweeps: readonly Sweep[] }) {
  const rows = sweeps.flatMap(({ tuning, ...sweep }) =>
    tuning && 'problem' in tuning ? [{ ...sweep, tuning }] : [],
  );
  return (
    <div className="mt-3">
      <DataTable
        caption="Searches of its tunables"
        rows={rows}
        keyOf={(row) => row.id}
        columns={[
          {
            head: 'Search',
            cell: (row) => <TextLink href={`/sweeps/${row.id}`}>{row.name}</TextLink>,
          },
          {
            head: 'Fastest',
            cell: ({ tuning: { best } }) =>
              best ? <VariantLink address={best.address} resultId={best.resultId} /> : '–',
          },
          {
            head: 'Median',
            isFigure: true,
            cell: ({ tuning: { best } }) => (best ? <FastestTime of={best} /> : '–'),
          },
          {
            head: 'Rate',
            isFigure: true,
            cell: ({ tuning: { best } }) => (best ? <Rate of={best.rate} /> : '–'),
          },
          { head: 'State', cell: (row) => <StatusBadge {...row} /> },
        ]}
      />
    </div>
  );
}
