import { EnvError, ServiceUnavailable } from '@tilemark/core/server';
import { MigrationRefused } from '../../prisma';
import { StartProblem } from './terminal';

/** Ends a start that failed: what the user can fix is one line; anything else is a bug, with its stack. */
export function exitWith(error: unknown): never {
  const isMendable =
    error instanceof StartProblem ||
    error instanceof EnvError ||
    error instanceof ServiceUnavailable ||
    error instanceof MigrationRefused;
  console.error(isMendable ? error.message : error);
  process.exit(1);
}
