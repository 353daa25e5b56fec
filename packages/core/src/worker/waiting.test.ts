import { expect, it } from 'vitest';
import { doneWithin } from './waiting';

const NEVER = new Promise(() => {});

it('tells work that is done in time from work that is not', async () => {
  expect(await doneWithin(60_000, Promise.resolve(false))).toBe(true);
  expect(await doneWithin(1, NEVER)).toBe(false);
});

it('fails as the work does, and only while somebody waits', async () => {
  await expect(doneWithin(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  let fail: (error: Error) => void = () => {};
  const late = new Promise((_, reject) => {
    fail = reject;
  });
  expect(await doneWithin(1, late)).toBe(false);
  // Unheard: an unhandled rejection would end the process.
  fail(new Error('too late'));
  await new Promise(setImmediate);
});
