import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Timing } from './facts';
import { formatMetric } from './format';

const timing = (over: object) =>
  renderToStaticMarkup(Timing({ of: { medianNs: 100, lowNs: 99, highNs: 101, ...over } }));

test.each([
  [{ samples: 40 }, '95% interval of this run’s median'],
  [{ samples: 40, independent: 6 }, '95% interval of this run’s median'],
  [{ samples: 40, independent: 5.82 }, 'Range of the samples'],
  [{ samples: 5 }, 'Range of the samples'],
  [{ samples: 1 }, 'One sample has neither'],
])('what stands beside a median of %j is called what it is', (over, name) => {
  expect(timing(over)).toContain(name);
});

test('samples that are too few for an interval do not read as enough', () => {
  const texts = [5.82, 5.97, 6, 17.33, 1234].map((count) => formatMetric('count', 2, count));
  expect(texts).toEqual(['5.8', '5.9', '6', '17', '1,234']);
});
