import type { AccountsRefused, ServiceUnavailable } from '@tilemark/core/server';
import type { InputError } from '@tilemark/kernels';

/**
 * Pages, routes and instrumentation are bundled apart while they share one
 * store, so a class may be there more than once and `instanceof` may fail:
 * these errors are known by their names.
 */

export const isInputError = (error: unknown): error is InputError =>
  error instanceof Error && error.name === 'InputError';

export const isServiceUnavailable = (error: unknown): error is ServiceUnavailable =>
  error instanceof Error &&
  ['ServiceUnavailable', 'DatabaseUnavailable', 'QueueUnavailable'].includes(error.name);

export const isAccountsRefused = (error: unknown): error is AccountsRefused =>
  error instanceof Error && error.name === 'AccountsRefused';
