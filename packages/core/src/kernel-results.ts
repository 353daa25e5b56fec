import type { Problem } from '@tilemark/kernels';
import type { DeviceRef, RunResult } from './api';
import type { Profile } from './device';

/** How a kernel fares on one problem, device by device. */
export interface KernelResults {
  /** Problems it was measured on, most devices first. */
  readonly problems: readonly {
    readonly problem: Problem;
    readonly profile: Profile;
    readonly devices: number;
  }[];
  /** The one that `rows` are of; null where it was measured on none. */
  readonly chosen: { readonly problem: Problem; readonly profile: Profile } | null;
  readonly rows: readonly KernelResultRow[];
}

/** The kernel's fastest variant on a device. */
export interface KernelResultRow {
  readonly device: DeviceRef;
  readonly resultId: string;
  readonly address: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  readonly rate: NonNullable<RunResult['rate']>;
  /** Of the best rate there by any kernel; 1: it is the best. Null for ceilings, and where it is unranked beside a ranked best. */
  readonly partOfBest: number | null;
}
