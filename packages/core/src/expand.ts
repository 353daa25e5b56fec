import type { Problem, Variant } from '@tilemark/kernels';
import type { Profile } from './device';
import type { PolicyId } from './policy';

/** One run to be: a variant on a problem, under a profile and policy, for a device. */
export interface PlannedRun {
  readonly variant: Variant;
  /** Canonical address of the variant. */
  readonly address: string;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
  readonly deviceKey: string;
}
