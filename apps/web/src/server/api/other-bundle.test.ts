import { expect, it, vi } from 'vitest';
import { problemOf } from './app';

it('recognises errors whose classes another bundle has', async () => {
  vi.resetModules();
  const core = await import('@tilemark/core');
  const server = await import('@tilemark/core/server');
  const kernels = await import('@tilemark/kernels');
  const problems = [
    new server.LimitReached('so many', 3_600),
    new server.KeyUsed('another request'),
    new server.DatabaseUnavailable('gone'),
    new server.QueueUnavailable('gone'),
    new core.GridUnavailable('gone'),
    new core.NotAdmitted('revoked'),
    new core.Refused('not yours', 'run'),
    new core.Refused('deleted', 'run', true),
    new kernels.InputError('wrong', 'shape'),
  ].map((error) => [error.name, problemOf(error).status]);
  expect(problems).toEqual([
    ['LimitReached', 429],
    ['KeyUsed', 409],
    ['DatabaseUnavailable', 503],
    ['QueueUnavailable', 503],
    ['GridUnavailable', 503],
    ['NotAdmitted', 403],
    ['Refused', 409],
    ['Refused', 404],
    ['InputError', 400],
  ]);
  expect(problemOf(new server.LimitReached('so many', 3_600)).retryAfterS).toBe(3_600);
});
