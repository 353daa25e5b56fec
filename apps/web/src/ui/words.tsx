import { TextLink } from './button';

/** Terms of ours, a line each. */
const WORDS = {
  rank: [
    'Rank',
    'shared by devices unless one is more than 0.5% faster with 95% confidence. A median not known to ±2% is placed by the slow end of its interval, so noise never improves a rank.',
    '/docs/measure#ranking',
  ],
  variant: ['Variant', 'a kernel with a value for each of its tunables.', '/kernels'],
  profile: [
    'Profile',
    'how WebGPU is set up: default is as in a browser, with bounds checks; fast leaves them out, which no browser does. The two are never ranked together.',
    '/docs/measure#what-is-ranked',
  ],
  reference: [
    'Reference',
    'figures for comparison that this grid did not measure: of this project’s own GPU, of libraries, and of published reports. Never ranked.',
    '/docs/performance-h200',
  ],
  peak: [
    '% of peak',
    'of the roof: the most that the device can do, measured by copies and multiply-adds, or taken from the data sheet where it says so.',
    '/docs/measure#the-roof',
  ],
  median: [
    'Median',
    'of the samples of a run, each the time of a dispatch. Every dispatch works on the next of several sets of buffers: where they exceed its cache, the data come from memory. Reports mostly time one set again and again.',
    '/docs/measure',
  ],
  interval: [
    '± interval',
    'contains the median with 95% confidence: of its own run on results and in sweeps; on the board, devices and kernels also with the spread between runs, the device’s own or a default for its class, which makes it wider; reference figures do not include that spread. Fewer than six independent samples have no such interval, and their range stands for it.',
    '/docs/measure',
  ],
  roundoff: [
    'RMS error',
    'of all elements against the reference, in u: one u is the most by which rounding once changes a value of the type; at 0 u every bit agrees, as where a kernel adds up in the order of the reference.',
    '/docs/measure#how-right-is-right',
  ],
  occupancy: [
    'Occupancy',
    'warps that a multiprocessor can hold at once with this variant, of the most it can hold; in theory, as WebGPU does not report registers.',
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
