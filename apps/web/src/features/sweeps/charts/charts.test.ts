import { group } from 'd3-array';
import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { usualKey } from './charts';

test('a GPU is drawn before the host, which comes first in its suite', () => {
  const [host, gpu] = (['cpu', 'gpu'] as const).map((key) =>
    measuredRun(1, { device: { key, name: key, class: key } }),
  );
  const keyOf = (...runs: (typeof host)[]) =>
    usualKey(
      group(
        runs.flatMap((run) => run ?? []),
        ({ device }) => device.key,
      ),
    );
  expect(keyOf(host, gpu)).toBe('gpu');
  expect(keyOf(host)).toBe('cpu');
  expect(keyOf()).toBeUndefined();
});
