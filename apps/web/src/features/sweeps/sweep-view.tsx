'use client';

import type { Counts, Published, RunShown, Sweep, Tuning } from '@tilemark/core';
import type { Waiting } from '@tilemark/core/server';
import { useRouter } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { WaitingList } from '@/features/queues/waiting-list';
import { formatCount, formatEstimate, plural } from '@/ui/format';
import { LiveDot } from '@/ui/live';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { SweepActions } from './actions';
import { Charts } from './charts/charts';
import { CountsLine, hasEnded, ProgressBar, remainingSeconds, StatusBadge } from './progress';
import { variedTunables } from './runs';
import { ReportAbout } from './tables/report';
import { ResultsTable } from './tables/results-table';
import type { DeviceFacts } from './tables/table-runs';
import { againOf, BudgetBar, TuningFacts } from './tuning';
import { useSweep } from './use-sweep';

/** A sweep as it runs: progress, charts and every run, kept current by its events. */
export function SweepView({
  id,
  counts,
  status,
  runs,
  tuning,
  searched,
  devices,
  report,
  mayChange,
  waiting,
}: {
  id: string;
  counts: Counts;
  status: Sweep['status'];
  runs: readonly RunShown[];
  /** How far its search is; null for any other sweep. */
  tuning: Tuning | null;
  /** Key of the device that it searches on; null for any other sweep. */
  searched: string | null;
  devices: readonly DeviceFacts[];
  /** What the sweep's suite reproduces; null where it reproduces nothing. */
  report: Published | null;
  mayChange: boolean;
  /** Where its runs stand in the queues of their devices, when the page was rendered. */
  waiting: readonly Waiting[];
}) {
  const router = useRouter();
  const refresh = useCallback(() => router.refresh(), [router]);
  const sweep = useSweep(id, { counts, status, runs, tuning }, refresh);
  const varied = useMemo(() => variedTunables(sweep.runs), [sweep.runs]);
  const ended = sweep.counts.total - sweep.counts.pending;
  const isOver = hasEnded(sweep.status, sweep.counts);

  const remaining = remainingSeconds(
    sweep.runs.flatMap(({ endedAt }) => (endedAt === null ? [] : Date.parse(endedAt))),
    sweep.counts.pending,
  );
  const awaited = waiting.filter(({ isServed }) => sweep.status === 'queued' || !isServed);
  const isCut = sweep.status === 'cancelled';
  const howFar =
    sweep.tuning || isCut ? (
      <p>
        <span className="font-medium">{formatCount(ended)}</span> {ended === 1 ? 'run' : 'runs'}{' '}
        ended{isCut && isOver && '; those that had not begun were dropped'}
      </p>
    ) : (
      <p>
        <span className="font-medium">{formatCount(ended)}</span> of{' '}
        {plural(sweep.counts.total, 'run')} ended
        {remaining !== null && !isOver && `, ${formatEstimate(remaining)} left`}
      </p>
    );
  const actions = (
    <SweepActions
      id={id}
      status={sweep.status}
      hasRetriable={
        sweep.runs.some((run) => run.mayRetry) ||
        // Some may be among those that a page does not show.
        (sweep.counts.failed > 0 && sweep.runs.length < sweep.counts.total)
      }
      mayChange={mayChange}
      again={againOf(id, sweep.tuning, searched)}
    />
  );

  return (
    <>
      {isOver ? (
        <div className="mb-6 flex flex-wrap items-center gap-x-5 gap-y-2">
          <StatusBadge status={sweep.status} counts={sweep.counts} tuning={sweep.tuning} />
          {howFar}
          <CountsLine counts={sweep.counts} isOver />
          <div className="sm:ml-auto">{actions}</div>
        </div>
      ) : (
        <Section id="progress" title="Progress">
          <Panel className="space-y-3 p-4">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <StatusBadge status={sweep.status} counts={sweep.counts} tuning={sweep.tuning} />
              {howFar}
              <span className="ml-auto">
                <LiveDot state={sweep.connection} />
              </span>
            </div>
            {sweep.tuning ? (
              <BudgetBar tuning={sweep.tuning} label="Time used by the search" />
            ) : (
              <ProgressBar counts={sweep.counts} label="Progress of the sweep" />
            )}
            <div className="flex flex-wrap items-start justify-between gap-3">
              {/* A search is one run until it adds others: what is to come is not known. */}
              <CountsLine counts={sweep.counts} isOver={sweep.tuning !== null} />
              {actions}
            </div>
          </Panel>
          {!isCut && awaited.length > 0 && (
            <Notice className="mt-3">
              <WaitingList waiting={awaited} />
            </Notice>
          )}
        </Section>
      )}
      {sweep.tuning && searched !== null && (
        <Section
          id="tuning"
          title={isOver ? 'What the search found' : 'What the search has found so far'}
        >
          <Panel>
            <TuningFacts
              tuning={sweep.tuning}
              runs={sweep.runs}
              device={searched}
              varied={varied}
            />
          </Panel>
        </Section>
      )}
      <Section
        id="results"
        title="Results"
        note={
          sweep.runs.length < (sweep.tuning ? ended : sweep.counts.total)
            ? `the first ${formatCount(sweep.runs.length)} of ${formatCount(sweep.counts.total)} runs; the export has all`
            : undefined
        }
      >
        <ResultsTable
          runs={sweep.runs}
          devices={devices}
          report={report}
          isOver={isOver}
          isSearch={sweep.tuning !== null}
        />
      </Section>
      {!(sweep.tuning && 'suite' in sweep.tuning) && <Charts runs={sweep.runs} report={report} />}
      {report && <ReportAbout report={report} />}
    </>
  );
}
