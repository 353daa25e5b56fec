import { InputError, isContributed, kernelParts, refuseIf } from '@tilemark/kernels';
import type { z } from 'zod';
import { benchFileSchema } from '../../api/result';
import type { SweepImported } from '../../api/sweep';
import { problemName } from '../../api/token';
import { kernelFileSchema } from '../../contributed/manifest';
import { NotAdmitted } from '../../link/link';
import { HAND_IN_POLICY } from '../store/invites/class';
import type { Principal } from '../store/principal';
import type { Store } from '../store/store';
import { importResults } from './import';

/** A kernel with what a tab found of it: its battery, then the kernel and naive on a problem of the class. */
export const handInSchema = benchFileSchema.extend({
  kernel: kernelFileSchema.omit({ author: true }),
});

/**
 * Keeps the kernel of a student, unlisted, and its results as an import of the student's token, whose
 * class shows them (store/invites/class.ts).
 *
 * @param handIn a body that `handInSchema` has accepted; its results name the kernel by any author
 * @throws NotAdmitted for a token of no class; InputError as `importResults` and `store.contributed.add` do,
 *   and where nothing was measured for the class; LimitReached
 */
export async function handIn(
  { store }: { readonly store: Store },
  { kernel: file, ...found }: z.infer<typeof handInSchema>,
  by: Principal,
): Promise<SweepImported> {
  const invite = await store.invites.of(by.tokenId);
  if (!invite) throw new NotAdmitted('Only who joined a class by its link hands kernels in.');
  const isAsked = found.results.some(
    ({ policy, problem, variant }) =>
      policy === HAND_IN_POLICY &&
      isContributed(variant.kernel) &&
      invite.problems.some((asked) => problemName(asked) === problemName(problem)),
  );
  refuseIf(!isAsked, `no result is of a problem that ${invite.name} asks for`, 'results');
  // Names are a class's own: with the end of the token's id they are one author's in the grid.
  const { id } = await store.contributed.add(file, {
    ...by,
    name: `${by.name.slice(0, 30)}-${by.tokenId.slice(-6)}`,
  });
  await store.contributed.admit([id]);
  const results = found.results.map((result, at) => {
    const { variant } = result;
    if (!isContributed(variant.kernel)) return result;
    if (versionOf(variant.kernel) === versionOf(id)) {
      return { ...result, variant: { ...variant, kernel: id } };
    }
    throw new InputError(
      `It is of ${variant.kernel}, not of the kernel that is handed in.`,
      `results[${at}].variant.kernel`,
    );
  });
  return importResults({ store }, { ...found, results }, by, id);
}

/** What is the same whoever the author is. */
function versionOf(id: string): string {
  const { name, version } = kernelParts(id);
  return `${name}@${version}`;
}
