import { TextLink } from './button';

/** Terms of ours, a line each. */
const WORDS = {
  rank: [
    'Rank',
    'shared unless one is more than 0.5% faster with 95% confidence.',
    '/docs/measure#ranking',
  ],
  variant: ['Variant', 'a kernel with a value for each of its tunables.', '/kernels'],
  profile: [
    'Profile',
    'how WebGPU is set up: default as in a browser; fast without bounds checks. Never ranked together.',
    '/docs/measure#what-is-ranked',
  ],
  reference: [
    'Reference',
    'figures that this grid did not measure. Never ranked.',
    '/docs/performance-h200',
  ],
  peak: [
    '% of peak',
    'of the most that the device can do, as probed, or by its data sheet.',
    '/docs/measure#the-roof',
  ],
  median: [
    'Median',
    'of the samples of a run, each the time of a dispatch on data from memory.',
    '/docs/measure',
  ],
  interval: ['± interval', '95% confidence interval of the median.', '/docs/measure'],
  roundoff: [
    'RMS error',
    'of all elements against the reference, in units of one rounding.',
    '/docs/measure#how-right-is-right',
  ],
  occupancy: [
    'Occupancy',
    'warps that a multiprocessor holds with this variant, of the most it can; in theory.',
    '/docs/performance-h200',
  ],
  policy: [
    'Policy',
    'how long and how precisely a run is measured; quick ones are never ranked.',
    '/docs/measure',
  ],
} as const;

/** What the terms of a page mean, folded. */
export function Words({ of }: { of: readonly (keyof typeof WORDS)[] }) {
  return (
    <details className="mt-1 text-[0.8125rem]">
      <summary>What the words mean</summary>
      <dl className="mt-1 space-y-1 [&_dt]:inline [&_dt]:font-medium [&_dt]:text-ink [&_dd]:inline">
        {of.map((id) => {
          const [word, meaning, href] = WORDS[id];
          return (
            <div key={id}>
              <dt>{word}</dt>
              <dd>
                : {meaning}{' '}
                <TextLink href={href} aria-label={`More about ${word}`}>
                  More
                </TextLink>
              </dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}
