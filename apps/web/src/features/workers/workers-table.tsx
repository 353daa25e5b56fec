import type { Worker } from '@tilemark/core';
import { kernelOf } from '@tilemark/kernels';
import { DEVICE } from '@/features/results/columns';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import { formatCount, formatPercent, formatShape } from '@/ui/format';
import { Badge, type Tone } from '@/ui/notice';
import { type Column, DataTable } from '@/ui/table';

const TONES: Readonly<Record<Worker['state'], Tone>> = {
  idle: 'neutral',
  running: 'accent',
  draining: 'amber',
  paused: 'amber',
  lost: 'rose',
};

/** Attached processes: which machine, which device, what each is doing, and how well. */
export function WorkersTable({
  workers,
  gridVersion,
  isAdmin = false,
  withDevice = true,
}: {
  workers: readonly Worker[];
  /** Workers of another version are marked. */
  gridVersion: string;
  isAdmin?: boolean;
  withDevice?: boolean;
}) {
  const actions: Column<Worker> = {
    head: 'Actions',
    className: 'py-0!',
    cell: (worker) => <WorkerActions worker={worker} />,
  };
  return (
    <DataTable
      caption={withDevice ? 'Workers' : 'Workers of this device'}
      rows={workers}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Worker',
          className: 'min-w-36',
          cell: (worker) => (
            <>
              {nameAmong(worker, workers)}
              <span className="block text-xs font-normal text-muted">
                {isAdmin && (worker.token ? `token ${worker.token}, ` : 'the grid’s own, ')}
                <span className="whitespace-nowrap">version {worker.version}</span>{' '}
                {worker.version !== gridVersion && (
                  <Badge tone="amber">the grid runs {gridVersion}</Badge>
                )}
              </span>
            </>
          ),
        },
        {
          head: 'Kernels',
          title:
            'Which kernels it runs: contributed ones only if it was started with --contributed',
          className: 'min-w-20',
          cell: ({ contributed, device }) =>
            contributed && device.class !== 'cpu' ? 'built-in, contributed' : 'built-in',
        },
        { head: 'State', className: 'min-w-32', cell: (worker) => <State worker={worker} /> },
        ...(withDevice ? [DEVICE] : []),
        {
          head: 'Runs, last hour',
          title: 'Measured, skipped, incorrect, or failed',
          isFigure: true,
          cell: ({ lastHour }) => formatCount(lastHour.ended),
        },
        {
          head: 'Failed',
          title: 'Share of the last hour’s runs that failed',
          isFigure: true,
          cell: ({ lastHour: { ended, failed } }) =>
            ended === 0 ? '–' : formatPercent(failed / ended),
        },
        {
          head: 'Last heartbeat',
          isFigure: true,
          className: 'text-muted',
          cell: ({ lastHeartbeatAt }) => <Ago date={lastHeartbeatAt} />,
        },
        ...(isAdmin ? [actions] : []),
      ]}
    />
  );
}

/** `lab: H200 #2` as `lab #2`: the device has a column of its own. */
const shownName = ({ name, host, device }: Worker): string =>
  name.startsWith(`${host}: `) ? name.replace(`: ${device.name}`, '') : `${name}, ${host}`;

/** How much of an id is shown, from its end: its beginning is the time. */
const ID_TAIL = 6;

/** Several workers of one host would be called the same: the end of the id tells them apart. */
export function nameAmong(worker: Worker, workers: readonly Worker[]): string {
  const name = shownName(worker);
  const isShared = workers.some((other) => other.id !== worker.id && shownName(other) === name);
  return isShared ? `${name} (${worker.id.slice(-ID_TAIL)})` : name;
}

function State({ worker: { state, run, wanted } }: { worker: Worker }) {
  const text = stateText({ state, wanted });
  return (
    <>
      <Badge tone={text === state ? TONES[state] : 'amber'}>{text}</Badge>
      {state === 'lost' && (
        <span className="mt-0.5 block max-w-48 text-xs text-muted">
          no heartbeat: its machine or network is down; its run goes to another worker
        </span>
      )}
      {run && state !== 'lost' && (
        <span className="mt-0.5 block text-xs">
          <TextLink href={`/sweeps/${encodeURIComponent(run.sweep.id)}`} title={run.sweep.name}>
            {kernelOf(run.address)}
          </TextLink>{' '}
          <span className="text-muted">
            {formatShape(run.shape)} {run.dtype}
          </span>
        </span>
      )}
    </>
  );
}

function WorkerActions({ worker: { id, name, wanted, token, state } }: { worker: Worker }) {
  const url = `/api/v1/workers/${encodeURIComponent(id)}`;
  return (
    <span className="flex gap-2 whitespace-nowrap">
      {wanted === 'working' ? (
        <Action url={`${url}/drain`} label={name}>
          Drain
        </Action>
      ) : (
        <Action url={`${url}/resume`} label={name}>
          Resume
        </Action>
      )}
      {wanted !== 'paused' && (
        <Action url={`${url}/pause`} label={name}>
          Pause
        </Action>
      )}
      {/* A worker on the grid's own accounts is stopped where it runs; once lost it can be removed. */}
      {(token !== null || state === 'lost') && (
        <Action
          url={url}
          method="DELETE"
          label={name}
          question={`Revoke ${name}? It is disconnected immediately, and its token admits no new machines. Machines already attached with that token stay. To come back, it needs a new token.`}
        >
          Revoke
        </Action>
      )}
    </span>
  );
}

/** What a worker is doing or about to do: it obeys an admin at its next heartbeat. */
export function stateText({ state, wanted }: Pick<Worker, 'state' | 'wanted'>): string {
  if (state === 'lost') return state;
  if (wanted === 'working') return state === 'paused' ? 'resuming…' : state;
  if (wanted === 'paused') return state === 'paused' ? 'paused' : 'pausing…';
  return state === 'paused' ? 'drained' : 'draining…';
}
