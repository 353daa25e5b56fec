import { expect, it } from 'vitest';
import { retry } from './retry';

const signal = new AbortController().signal;

it('works until it succeeds, and tells of each failure before', async () => {
  let tries = 0;
  const failures: unknown[] = [];
  const work = async () => {
    if (++tries < 3) throw new Error(`no ${tries}`);
    return tries;
  };
  const options = { mayHelp: () => true, onRetry: (e: unknown) => void failures.push(e), signal };
  expect(await retry(work, options)).toBe(3);
  expect(failures).toEqual([new Error('no 1'), new Error('no 2')]);
});

it('throws what another try would not change, after one', async () => {
  let tries = 0;
  const work = () => Promise.reject(new Error(`no ${++tries}`));
  const options = { mayHelp: () => false, onRetry: () => expect.unreachable(), signal };
  await expect(retry(work, options)).rejects.toThrow('no 1');
});

it.each([
  ['before', 0],
  ['while it works', 1],
  ['while it waits', 1],
])('throws the reason when aborted %s', async (when, tries) => {
  const stop = new AbortController();
  const abort = () => stop.abort(new Error('enough'));
  let tried = 0;
  if (when === 'before') abort();
  const work = async () => {
    tried++;
    if (when === 'while it works') abort();
    throw new Error('no');
  };
  const onRetry = () => void (when === 'while it waits' && setImmediate(abort));
  const retrying = retry(work, { mayHelp: () => true, onRetry, signal: stop.signal });
  await expect(retrying).rejects.toThrow('enough');
  expect(tried).toBe(tries);
});
