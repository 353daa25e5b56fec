import type { KernelResults } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { medianColumn } from '@/features/results/columns';
import { ImportedBadge } from '@/features/results/outcome';
import { problemText } from '@/features/sweeps/runs';
import { BETWEEN_RUNS } from '@/ui/facts';
import { SelectField } from '@/ui/field';
import { formatOfPeak, formatShape, plural } from '@/ui/format';
import { Section } from '@/ui/page';
import { QueryForm } from '@/ui/query-form';
import { fullBar, RateBar } from '@/ui/rate-bar';
import { DataTable } from '@/ui/table';
import { VariantLink } from './address';

type Measured = KernelResults['problems'][number];

/** A problem and profile as the address spells them: `512,f32,default`. */
export const problemKey = ({ problem, profile }: Pick<Measured, 'problem' | 'profile'>): string =>
  [shapeText(problem), problem.dtype, profile].join();

/** Devices shown before the reader asks for all: their rows name whole variants, which weighs. */
const MOST_DEVICES = 8;

/** The kernel's fastest variant on each device for one problem; nothing before one has measured it. */
export function DeviceResults({
  results: { chosen, problems, rows },
  keep,
  isAll,
}: {
  results: KernelResults;
  /** The rest of the address, kept when a problem is chosen. */
  keep: Readonly<Record<string, string>>;
  /** Whether every device is shown, or only the fastest. */
  isAll: boolean;
}) {
  if (!chosen) return null;
  const key = problemKey(chosen);
  const full = fullBar(rows);
  const all = new URLSearchParams({ ...keep, on: key, rows: 'all' });
  return (
    <Section id="results" title="Results across devices">
      <div className="mb-3">
        <QueryForm label="Problem of the results">
          {Object.entries(keep).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <SelectField
            {...{ id: 'on', name: 'on', label: 'Problem and profile', defaultValue: key }}
            key={key}
            className="font-mono"
            options={problems.map((each) => [
              problemKey(each),
              `${formatShape(shapeText(each.problem))} ${each.problem.dtype}, ${each.profile} (${plural(each.devices, 'device')})`,
            ])}
          />
        </QueryForm>
      </div>
      <DataTable
        caption={`Results of ${problemText(chosen.problem)} by device`}
        rows={rows}
        rest={{ noun: 'devices', isAll, allHref: `?${all}#results`, most: MOST_DEVICES }}
        keyOf={({ device }) => device.key}
        columns={[
          { head: 'Device', cell: ({ device: { name } }) => shortDeviceName(name) },
          {
            head: 'Fastest variant',
            className: 'min-w-52',
            cell: ({ address, imported, resultId, unranked }) => (
              <>
                <VariantLink address={address} resultId={resultId} />{' '}
                <ImportedBadge of={imported} />
                {unranked && (
                  <span className="block text-xs text-muted">Not ranked: {unranked}</span>
                )}
              </>
            ),
          },
          {
            head: `${rows[0]?.rate.unit}, higher is better`,
            className: 'min-w-40',
            cell: (row) => <RateBar of={row} full={full} isRanked={row.unranked === null} />,
          },
          medianColumn((row: KernelResults['rows'][number]) => row, BETWEEN_RUNS),
          {
            head: '% of the device’s best here',
            title: 'Of times, among results of this grid',
            isFigure: true,
            cell: ({ partOfBest }) => (partOfBest === null ? '–' : formatOfPeak(partOfBest)),
          },
        ]}
      />
    </Section>
  );
}
