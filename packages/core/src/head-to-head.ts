import type { Problem } from '@tilemark/kernels';
import type { DeviceRef } from './api';
import type { Profile } from './device';
import type { Series } from './outcome';

/** What is held against each other: device keys, or canonical addresses of variants. */
export interface Pair {
  readonly of: 'devices' | 'variants';
  readonly a: string;
  readonly b: string;
}

/** One of two results of the same problem and profile. */
export interface PairSide extends Pick<Series, 'medianNs' | 'lowNs' | 'highNs' | 'minNs' | 'q3Ns'> {
  readonly resultId: string;
  readonly address: string;
  readonly unranked: string | null;
}

/** Two results of the same problem and profile; `device` is both's where variants are compared. */
export interface HeadToHead {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly device: DeviceRef | null;
  readonly a: PairSide;
  readonly b: PairSide;
}
