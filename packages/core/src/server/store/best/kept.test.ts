import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answerFor } from '../../../tune/best';
import { measured } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';
import { answersOf } from './answer';
import { deviceWith, questionOf } from './tiles.test-helper';

let key: string;
const { db, store } = await testStore();
beforeAll(async () => {
  key = await deviceWith(store, { device: 'Kept' }, [['middle', 512, 4]]);
});

const answer = vi.fn(answerFor);
beforeEach(() => void answer.mockClear());

test('an answer is made once for what is known, by whatever way it is asked for', async () => {
  const { best } = answersOf(db, answer);
  const table = questionOf({ shapes: '256 512 1024', gpu: `${key},apple` });
  const rows = await best(table);
  expect(answer).toHaveBeenCalledTimes(6);
  expect(await best(table)).toEqual(rows);
  const [one] = await best(questionOf({ m: 512, n: 512, k: 512, device: key }));
  expect(one).toEqual(rows[2]);
  expect(answer).toHaveBeenCalledTimes(6);
  await best(questionOf({ shapes: '512', gpu: key, epilogue: 'relu' }));
  await best(questionOf({ shapes: '512', gpu: key, profile: 'fast' }));
  expect(answer).toHaveBeenCalledTimes(8);
  // A new time makes those of its device again, and no other.
  await deviceWith(store, { device: 'Kept' }, [['small', 512, measured(1e6)]]);
  const [, , again] = await best(table);
  expect(answer).toHaveBeenCalledTimes(11);
  expect(again?.best?.quote?.ns).toBe(1e6);
});

test('a reader who leaves ends the work, and others are served between rows', async () => {
  const gone = new AbortController();
  const few = vi.fn((...asked: Parameters<typeof answerFor>) => {
    if (few.mock.calls.length === 2) gone.abort('left');
    return answerFor(...asked);
  });
  const { best } = answersOf(db, few);
  let turns = 0;
  const turn = () => {
    turns++;
    if (!gone.signal.aborted) setImmediate(turn);
  };
  setImmediate(turn);
  const table = questionOf({ shapes: '64 128 256 512 1024', gpu: `${key},apple` });
  await expect(best(table, gone.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(few).toHaveBeenCalledTimes(2);
  expect(turns).toBeGreaterThanOrEqual(2);
});

test('however many ask, one row is made in a turn of the event loop', async () => {
  let [rows, most, isDone] = [0, 0, false];
  const { best } = answersOf(db, (...asked) => {
    rows++;
    return answerFor(...asked);
  });
  const turn = () => {
    most = Math.max(most, rows);
    rows = 0;
    if (!isDone) setImmediate(turn);
  };
  const table = (at: number) => questionOf({ shapes: `${at} 2x${at}x${at}`, gpu: `${key},apple` });
  setImmediate(turn);
  await Promise.all(Array.from({ length: 6 }, (_, at) => best(table(64 + at))));
  isDone = true;
  expect(most).toBe(1);
});
