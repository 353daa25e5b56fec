import { ifValid, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { suiteClass } from '../measure/device';
import { expand, type PlannedRun } from '../plan/expansion';
import { type StandingSuite, SUITES, standingSuites, suiteRef } from '../suites/suites';
import { type Coverage, type CoverageCell, DEVICE_GROUPS, type Refresh } from '../view/api';
import { sourceHashOf } from './gate/reasons';
import type { AuditNote } from './store/audit';
import type { DeviceToPlan } from './store/devices';
import type { Author } from './store/new-sweeps';
import type { NewestRun } from './store/runs';
import type { Store } from './store/store';
import { type SweepServices, startSweep } from './submit';

type CellState = 'done' | 'failed' | 'running' | 'waiting' | 'stale' | 'never';

/** Devices against standard suites: how many runs are in each state. */
export async function coverage(store: Store): Promise<Coverage> {
  const rows: Coverage['devices'] = [];
  for await (const { device, suites } of coverageOf(store, await store.devices.toPlan())) {
    const { key, name, class: kind, workers } = device;
    rows.push({ device: { key, name, class: kind }, workers, cells: suites.map(cellOf) });
  }
  return {
    suites: SUITES.filter(({ standing }) => standing).map(({ id, title }) => ({ id, title })),
    devices: rows
      .filter(({ cells }) => cells.length > 0)
      .toSorted((a, b) => groupOf(a.device) - groupOf(b.device)),
  };
}

const groupOf = (device: Pick<DeviceToPlan, 'class'>) => DEVICE_GROUPS.indexOf(device.class);

/**
 * Queues stale runs in the background, those whose kernel source or methodology has changed since: a
 * sweep for each device and suite with stale runs. No device given: every device that has a worker.
 */
export async function refreshStale(
  services: SweepServices,
  { device: only, suite: onlySuite }: Refresh,
  author: Author,
  note?: AuditNote,
): Promise<{ sweeps: string[]; runs: number }> {
  const refreshed = { sweeps: [] as string[], runs: 0 };
  const all = await services.store.devices.toPlan();
  const devices = all.filter(({ key, workers }) => (only === null ? workers > 0 : key === only));
  for await (const { device, suites } of coverageOf(services.store, devices)) {
    for (const { standing, runs: planned } of suites) {
      const { suite, spec } = standing;
      const runs = planned.filter(({ state }) => state === 'stale').map(({ run }) => run);
      if (runs.length === 0 || (onlySuite !== null && suite.id !== onlySuite)) continue;
      const { id } = await startSweep(services, author, {
        name: `${suite.title} on ${device.name}, stale runs`.slice(0, 120),
        suite: suiteRef(suite),
        spec: { ...spec, devices: [device.key] },
        runs,
        background: true,
        note,
      });
      refreshed.sweeps.push(id);
      refreshed.runs += runs.length;
    }
  }
  return refreshed;
}

interface SuiteCoverage {
  readonly standing: StandingSuite;
  readonly runs: readonly { readonly run: PlannedRun; readonly state: CellState }[];
}

/** Devices per statement: one statement each is slow, and one for a whole fleet blocks the site. */
const DEVICES_AT_ONCE = 20;

/** Every run of each device's standard suites, with its state. */
async function* coverageOf(
  store: Store,
  devices: readonly DeviceToPlan[],
): AsyncGenerator<{ readonly device: DeviceToPlan; readonly suites: readonly SuiteCoverage[] }> {
  const suitesOf = new Map(
    [...new Set(devices.map(suiteClass))].map((kind) => [kind, standingSuites(kind)]),
  );
  for (let first = 0; first < devices.length; first += DEVICES_AT_ONCE) {
    const planned = devices.slice(first, first + DEVICES_AT_ONCE).map((device) => ({
      device,
      suites: (suitesOf.get(suiteClass(device)) ?? []).map((standing) => ({
        standing,
        // Nothing if the shapes do not fit the device, as in `backfill`.
        runs: ifValid(() => expand(standing.spec, [device])) ?? [],
      })),
    }));
    const asked = planned.flatMap(({ suites }) => suites.flatMap(({ runs }) => runs));
    const newest = group(
      await store.runs.newest(
        [...new Set(asked.map(({ deviceKey }) => deviceKey))],
        [...new Set(asked.map(({ address }) => address))],
      ),
      ({ deviceKey, address, shape, dtype, profile }) =>
        [deviceKey, address, shape, dtype, profile].join(' '),
    );
    for (const { device, suites } of planned) {
      yield {
        device,
        suites: suites.map(({ standing, runs }) => ({
          standing,
          runs: runs.map((run) => ({ run, state: stateOf(run, newest.get(cellKey(run))) })),
        })),
      };
    }
  }
}

const cellKey = ({ deviceKey, address, problem, profile }: PlannedRun): string =>
  [deviceKey, address, shapeText(problem), problem.dtype, profile].join(' ');

/** A good result stays one while another suite measures the same again. */
function stateOf(run: PlannedRun, newest: readonly NewestRun[] = []): CellState {
  const ended = newest.find(({ isWaiting }) => !isWaiting);
  const state = ended ? endedState(run, ended) : 'never';
  const open = newest.find(({ isWaiting }) => isWaiting);
  return state === 'done' || !open ? state : open.isRunning ? 'running' : 'waiting';
}

function endedState(run: PlannedRun, ended: NewestRun): CellState {
  const isOtherSource =
    ended.sourceHash !== null &&
    ended.sourceHash !== sourceHashOf({ ...run.variant, address: run.address }, run.problem);
  if (isOtherSource || ended.isOtherMethodology) return 'stale';
  return ended.hasFailed ? 'failed' : 'done';
}

function cellOf({ standing, runs }: SuiteCoverage): CoverageCell {
  const cell = { done: 0, failed: 0, running: 0, waiting: 0, stale: 0, never: 0 };
  for (const { state } of runs) cell[state] += 1;
  return { suite: standing.suite.id, params: standing.params, total: runs.length, ...cell };
}
