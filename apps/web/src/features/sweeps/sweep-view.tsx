'use client';

import type {
  Counts,
  DeviceQueue,
  NewSweep,
  Published,
  RunView,
  Sweep,
  TunedShape,
  Tuning,
} from '@tilemark/core';
import type { Waiting } from '@tilemark/core/server';
import { useRouter } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { WaitingList } from '@/features/queues/waiting-list';
import { NoWorker } from '@/features/workers/no-worker';
import { formatCount, plural } from '@/ui/format';
import { LiveDot } from '@/ui/live';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { SweepActions } from './actions';
import { Charts } from './charts/charts';
import type { LibraryRate } from './charts/library-lines';
import { begunOf, FamilyFacts, FamilyShapes } from './family-shapes';
import type { DeviceFacts } from './load';
import { CountsLine, DeviceProgress, hasEnded, ProgressBar, StatusBadge } from './progress';
import { variedTunables } from './runs';
import { ReportTable } from './tables/report';
import { ResultsTable } from './tables/results-table';
import { BudgetBar, TuningFacts, tuneHref } from './tuning';
import { useSweep } from './use-sweep';

/** A sweep as it runs: progress, charts and every run, kept current by its events. */
export function SweepView({
  id,
  counts,
  status,
  runs,
  tuning,
  shapes,
  devices,
  libraries,
  report,
  mayChange,
  again,
  stuck,
  waiting,
}: {
  id: string;
  counts: Counts;
  status: Sweep['status'];
  runs: readonly RunView[];
  /** How far its search is; null for any other sweep. */
  tuning: Tuning | null;
  /** Those of a family that is tuned; null for any other sweep. */
  shapes: readonly TunedShape[] | null;
  devices: readonly DeviceFacts[];
  /** On its problems, on hardware of its devices' names. */
  libraries: readonly LibraryRate[];
  /** What the sweep's suite reproduces; null where it reproduces nothing. */
  report: Published | null;
  mayChange: boolean;
  /** Submits the sweep once more; null for visitors who may not, or where no worker would run it. */
  again: NewSweep | null;
  /** Devices that its runs wait for and no worker serves. */
  stuck: readonly DeviceQueue[];
  /** Where a sweep that has not begun stands with the others. */
  waiting: readonly Waiting[];
}) {
  const router = useRouter();
  const refresh = useCallback(() => router.refresh(), [router]);
  const sweep = useSweep(id, { counts, status, runs, tuning }, refresh);
  const varied = useMemo(() => variedTunables(sweep.runs), [sweep.runs]);
  const ended = sweep.counts.total - sweep.counts.pending;
  const isOver = hasEnded(sweep.status, sweep.counts);

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
      </p>
    );
  const actions = (
    <SweepActions
      id={id}
      status={sweep.status}
      counts={sweep.counts}
      hasRetriable={
        sweep.runs.some((run) => run.mayRetry) ||
        // Some may be among those that a page does not show.
        (sweep.counts.failed > 0 && sweep.runs.length < sweep.counts.total)
      }
      mayChange={mayChange}
      again={again}
      tuned={sweep.tuning && tuneHref(sweep.tuning)}
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
              <CountsLine counts={sweep.counts} />
              {actions}
            </div>
            {sweep.status !== 'cancelled' && !sweep.tuning && <DeviceProgress runs={sweep.runs} />}
          </Panel>
          {sweep.status === 'queued' && waiting.length > 0 && (
            <Notice className="mt-3">
              <WaitingList waiting={waiting} />
            </Notice>
          )}
          {sweep.status !== 'cancelled' && <NoWorker queues={stuck} className="mt-3" />}
        </Section>
      )}
      {sweep.tuning && (
        <Section
          id="tuning"
          title={isOver ? 'What the search found' : 'What the search has found so far'}
        >
          <Panel>
            {'suite' in sweep.tuning ? (
              <FamilyFacts
                tuning={sweep.tuning}
                begun={begunOf(shapes ?? [])}
                status={sweep.status}
                isOver={isOver}
              />
            ) : (
              <TuningFacts tuning={sweep.tuning} runs={ended} varied={varied} isOver={isOver} />
            )}
          </Panel>
        </Section>
      )}
      {shapes && sweep.tuning && 'suite' in sweep.tuning && (
        <Section id="shapes" title="Shapes">
          <FamilyShapes id={id} tuning={sweep.tuning} varied={varied} initial={shapes} />
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
        <ResultsTable runs={sweep.runs} devices={devices} report={report} isOver={isOver} />
      </Section>
      {!shapes && <Charts runs={sweep.runs} devices={devices} libraries={libraries} />}
      {report && <ReportTable report={report} />}
    </>
  );
}
