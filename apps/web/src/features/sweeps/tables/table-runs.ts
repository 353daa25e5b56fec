import {
  type Device,
  isMeasured,
  type Occupancy,
  type Published,
  type RunShown,
  variantOccupancy,
} from '@tilemark/core';
import { DTYPES, KERNELS, shortAddress } from '@tilemark/kernels';
import { shortDeviceName } from '../../devices/short-device-name';
import type { OverHost, Speedup } from '../runs';
import { overHost, policyText, speedups, variedTunables } from '../runs';
import { lineOf, linesOf, type ReportLine, reportNames } from './report';

/** What the tables of a sweep know of a device. */
export type DeviceFacts = Pick<Device, 'key' | 'identity'>;

/** A run with what only its neighbours or its device tell. */
export interface ResultRow {
  readonly run: RunShown;
  readonly speedup: Speedup | undefined;
  /** Over the serial host. */
  readonly host: OverHost | undefined;
  /** What the report counts per byte that we do, where it counts others. */
  readonly counted: number | undefined;
  readonly occupancy: Occupancy | undefined;
  /** Null where all runs have the same one, which is said above the table. */
  readonly reason: string | null;
  /** Its device, profile and policy, each where runs differ in it. */
  readonly where: readonly string[];
  /** Tunables of its kernel in which runs differ. */
  readonly varied: ReadonlySet<string> | undefined;
  /** Its rival; null where all have the same one, which the heading names. */
  readonly rival: string | null;
  /** What the report that the sweep reproduces calls it. */
  readonly name: string | undefined;
  /** Of that report. */
  readonly line: ReportLine | undefined;
}

/** What keeps every one of several runs from being ranked; null where they differ. */
export const sharedReason = (runs: readonly RunShown[]): string | null =>
  runs.length > 1 && runs.every(({ reason }) => reason === runs[0]?.reason)
    ? (runs[0]?.reason ?? null)
    : null;

/** The rival that all duels of some runs were with; null where there are several or none. */
export const sharedRival = (runs: readonly RunShown[]): string | null => {
  const [rival = null, ...others] = new Set(runs.flatMap(({ duel }) => duel?.against ?? []));
  return others.length > 0 ? null : rival && shortAddress(rival);
};

/** Runs with their speed-up over naive and, where the device is known, their occupancy. */
export function tableRuns(
  runs: readonly RunShown[],
  devices: readonly DeviceFacts[],
  report: Published | null = null,
): ResultRow[] {
  const lines = report ? linesOf(report) : [];
  const names = reportNames(report);
  const bytes = report?.bytesPerElement;
  const measured = runs.filter(isMeasured);
  const ratios = speedups(measured);
  const hosts = overHost(measured);
  const known = new Set(KERNELS.map(({ id }) => id));
  const identities = new Map(devices.map(({ key, identity }) => [key, identity]));
  // A variant has one occupancy on a device, whatever the size of its problems.
  const occupancies = new Map<string, Occupancy | undefined>();
  const shared = sharedReason(runs);
  const varied = variedTunables(runs);
  const isOneRival = sharedRival(runs) !== null;
  const isOfSeveral = (read: (run: RunShown) => string) => new Set(runs.map(read)).size > 1;
  const hasDevices = isOfSeveral(({ device }) => device.key);
  const hasProfiles = isOfSeveral(({ profile }) => profile);
  const hasPolicies = isOfSeveral(({ policy }) => policy);
  return runs.map((run) => {
    const { address, device, problem, variant } = run;
    const key = `${device.key} ${problem.dtype} ${address}`;
    const identity = identities.get(device.key);
    if (identity && known.has(variant.kernel) && !occupancies.has(key)) {
      occupancies.set(key, variantOccupancy(identity, variant, problem.dtype) ?? undefined);
    }
    return {
      run,
      speedup: ratios.get(run.runId),
      host: hosts.get(run.runId),
      counted: bytes ? bytes / (2 * DTYPES[problem.dtype].bytes) : undefined,
      occupancy: occupancies.get(key),
      reason: shared === null ? run.reason : null,
      where: [
        ...(hasDevices ? [shortDeviceName(device.name)] : []),
        ...(hasProfiles ? [run.profile] : []),
        ...(hasPolicies ? [policyText(run.policy, 'run')] : []),
      ],
      varied: varied.get(variant.kernel),
      name: names.get(address),
      line: lineOf(lines, run),
      rival: run.duel && !isOneRival ? shortAddress(run.duel.against) : null,
    };
  });
}
