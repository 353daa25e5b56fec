import {
  InputError,
  type Problem,
  parseVariant,
  passesOf,
  type ResolvedVariant,
  specialise,
} from '@tilemark/kernels';
import type { BestVariant } from '../../api';
import { kernelNeeds } from '../../kernel-needs';

/** Null for variants of earlier releases: their kernel, a tunable or a value of it is gone. */
export function knownVariant(address: string): ResolvedVariant | null {
  try {
    return parseVariant(address);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** What it takes to run a variant on a problem, as this release writes it. */
export function programOf(
  { address, definition, kernel, tunables }: ResolvedVariant,
  problem: Problem,
): Pick<BestVariant, 'variant' | 'address' | 'wgsl' | 'needs' | 'passes'> {
  const variant = { kernel, tunables };
  if (definition.runsOn !== 'gpu') return { variant, address, wgsl: null, needs: null, passes: [] };
  return {
    variant,
    address,
    wgsl: specialise(definition, tunables, problem.dtype),
    needs: kernelNeeds(definition, tunables, problem.dtype),
    passes: passesOf(definition, tunables, problem).map(({ entryPoint, workgroups }) => ({
      entryPoint,
      workgroups: [...workgroups],
    })),
  };
}
