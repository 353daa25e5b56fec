import { expect, it } from 'vitest';
import { textOf } from './worker-log';

const time = '2026-11-23T10:15:02.123Z';

it('is a line for people, with ids only where something is wrong', () => {
  const run = { runId: '7', run: 'matmul/tiled, 512 f32', medianNs: 1_234_000, stop: 'converged' };
  expect(textOf({ time, level: 'info', msg: 'measured', ...run })).toBe(
    '10:15:02 measured: matmul/tiled, 512 f32, median 1.234 ms, stop converged\n',
  );
  expect(textOf({ time, level: 'info', msg: 'stopped', runId: null })).toBe('10:15:02 stopped\n');
  expect(textOf({ time, level: 'warn', msg: 'run handed back', runId: '7', error: 'gone' })).toBe(
    '10:15:02 warn: run handed back: runId 7, gone\n',
  );
});
