import { Prisma } from '@tilemark/db';

/**
 * Whose word a number is. A party is the operator (the grid's own account, and admins) or a token:
 * all workers that one token let in are one party, because what machines call themselves is their
 * own word. A device belongs to the operator or to the party that attached it first; another
 * party's worker of the same model is another machine under it, which changes neither its
 * description nor its roof. What the operator's workers measured needs nobody's agreement; a
 * result of any other party is confirmed once another party's agrees, or an admin does.
 */

export const OPERATOR = 'operator';

/** The party that speaks through a worker `w`. */
export const partyOf = (worker: string): Prisma.Sql =>
  Prisma.raw(`party_of_token(${worker}."tokenId")`);

/** Whether a party may say what a device is and can do. */
export const speaksFor = (party: string, ownedBy: string | null): boolean =>
  party === OPERATOR || ownedBy === null || ownedBy === party;

/** Two medians agree within this part of the greater. */
export const AGREES_WITHIN = 0.02;

export const BY_OPERATOR = 'the operator';
export const BY_ANOTHER = 'another machine of the model';
export const byAdmin = (name: string): string => `admin ${name}`;
