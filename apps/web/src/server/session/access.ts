import type { Sweep, Worker } from '@tilemark/core';
import type { Principal } from '@tilemark/core/server';
import { HttpProblem } from '../problem';

/**
 * The callers that an operation is for. `open` is for everyone always; `read` for everyone while the grid is
 * public, and for any token otherwise.
 */
export type Access = 'open' | 'read' | 'publish' | 'submit' | 'work' | 'admin';

const ALLOWED: Readonly<Record<Exclude<Access, 'open' | 'read'>, readonly Principal['role'][]>> = {
  // Of workers, those that an invite let in: core's `importResults` knows them.
  publish: ['worker', 'member', 'admin'],
  submit: ['member', 'admin'],
  work: ['worker', 'admin'],
  admin: ['admin'],
};

/** Throws 401 or 403 where the principal may not do what the operation does. */
export function checkAccess(access: Access, principal: Principal | null, isPublic: boolean): void {
  if (access === 'open') return;
  if (access === 'read') {
    if (isPublic || principal) return;
    throw new HttpProblem(401, 'This grid is private: send a token, or log in at /login.');
  }
  if (!principal) {
    throw new HttpProblem(401, 'Send a token as `Authorization: Bearer`, or log in at /login.');
  }
  const roles = ALLOWED[access];
  if (!roles.includes(principal.role)) {
    throw new HttpProblem(
      403,
      `A ${principal.role} token may not do this; it takes ${roles.join(' or ')}.`,
    );
  }
}

/** Members act on what they made with the token they show; admins on everything. */
export function isOwner(
  principal: Principal,
  { createdById }: Pick<Sweep, 'createdById'>,
): boolean {
  return principal.role === 'admin' || principal.tokenId === createdById;
}

/** Throws 403 for somebody else's sweep. Names do not count: two tokens may share one. */
export function checkOwner(
  principal: Principal,
  sweep: Pick<Sweep, 'createdBy' | 'createdById'>,
): void {
  if (isOwner(principal, sweep)) return;
  throw new HttpProblem(403, `Only the token of ${sweep.createdBy} or an admin may do this.`);
}

/** Whose invites somebody sees and ends; undefined, as an admin: everybody's. */
export const makerOf = ({ role, tokenId }: Principal): string | undefined =>
  role === 'admin' ? undefined : tokenId;

/** Workers as who asks may know them: the names of tokens are for admins. */
export const shownTo = (asker: Principal | null, workers: Worker[]): Worker[] =>
  asker?.role === 'admin' ? workers : workers.map((worker) => ({ ...worker, token: null }));
