import type { LeaderboardRow } from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { DeviceBars } from '@/features/chart/device-bars';
import { chartOf } from '@/features/chart/panels';
import { chartQuerySchema, MOST_PROBLEMS, nameInFigure, problemKey } from '@/features/chart/query';
import { VariantLink } from '@/features/kernels/address';
import { DEVICE, medianColumn, PROBLEM, rateColumn } from '@/features/results/columns';
import { problemText } from '@/features/sweeps/runs';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { BETWEEN_RUNS, Day } from '@/ui/facts';
import { Chip, SelectField } from '@/ui/field';
import { Empty, Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { QueryForm } from '@/ui/query-form';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'Devices in one figure' };

type Row = LeaderboardRow & { readonly problem: Problem };

export default async function ChartPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query, refused } = parseQuery(chartQuerySchema, await searchParams);
  const chart = await chartOf(store, query);
  const { devices, others, panels } = chart;
  const rows = panels.flatMap(({ problem, rows }) => rows.map((row): Row => ({ ...row, problem })));
  return (
    <>
      <PageHeader title="Devices in one figure">
        Each device’s fastest verified variant, profile {query.profile}.
      </PageHeader>
      <Refused
        reasons={[...refused, ...chart.refused]}
        reset="/chart"
        title="Part of this figure is missing"
        instead="The rest is drawn."
      />
      {devices.length > 0 && panels.length > 0 ? (
        <>
          <QueryForm label="What the figure shows">
            <input type="hidden" name="profile" value={query.profile} />
            {devices.map((device) => (
              <Chip key={device.key} name="device" value={device.key} defaultChecked>
                {nameInFigure(device)}
              </Chip>
            ))}
            {panels.map(({ problem }) => (
              <Chip
                key={problemKey(problem)}
                name="problem"
                value={problemKey(problem)}
                defaultChecked
              >
                {problemText(problem)}
              </Chip>
            ))}
            {others.length > 0 && panels.length < MOST_PROBLEMS && (
              <div className="min-w-40">
                <SelectField
                  {...{ id: 'problem', name: 'problem', label: 'Add a problem', defaultValue: '' }}
                  key={panels.length}
                  options={[
                    ['', 'none'],
                    ...others.map(
                      (problem) => [problemKey(problem), problemText(problem)] as const,
                    ),
                  ]}
                />
              </div>
            )}
          </QueryForm>
          <Panel className="mt-5">
            <DeviceBars devices={devices} panels={panels} profile={query.profile} />
          </Panel>
          <Section id="figures" title="Figures">
            <DataTable
              caption="Figures of the devices"
              rows={rows}
              keyOf={({ resultId }) => resultId}
              columns={[
                PROBLEM,
                DEVICE,
                rateColumn(({ rate }: Row) => rate),
                medianColumn((row: Row) => row, BETWEEN_RUNS),
                {
                  head: 'Best variant',
                  className: 'min-w-44',
                  cell: ({ address, resultId }) => (
                    <VariantLink address={address} resultId={resultId} />
                  ),
                },
                { head: 'Driver', cell: ({ driver }) => driver || '–' },
                { head: 'Measured', cell: ({ measuredAt }) => <Day date={measuredAt} /> },
              ]}
            />
          </Section>
        </>
      ) : (
        <Empty title="Tick up to eight devices">
          <p>
            They have ticks on <TextLink href="/">the leaderboard</TextLink> and in the list of{' '}
            <TextLink href="/devices">devices</TextLink>.
          </p>
        </Empty>
      )}
    </>
  );
}
