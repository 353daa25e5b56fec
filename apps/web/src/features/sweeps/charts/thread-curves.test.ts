import { expect, test } from 'vitest';
import { seriesStyles } from '@/ui/plot/scales';
import { publishedKeys } from './thread-curves';

const styles = seriesStyles(['naive', 'tiled']);
const of = (...kernels: string[]) =>
  publishedKeys(
    kernels.map((kernel) => ({ kernel })),
    styles,
  ).map(({ symbol, text }) => [text, symbol]);

test('the legend shows each mark that published figures have', () => {
  expect(of()).toEqual([]);
  expect(of('matmul/naive', 'matmul/naive')).toEqual([
    ['published, on other hardware', styles.symbol('naive')],
  ]);
  expect(of('matmul/naive', 'matmul/tiled')).toEqual([
    ['published naive, on other hardware', styles.symbol('naive')],
    ['published tiled, on other hardware', styles.symbol('tiled')],
  ]);
  expect(styles.symbol('naive')).not.toBe(styles.symbol('tiled'));
});
