/** The primers of docs/, shown as pages of the site. */
import addingAKernel from '../../../../../docs/adding-a-kernel.md?raw';
import attaching from '../../../../../docs/attaching.md?raw';
import libraries from '../../../../../docs/libraries.md?raw';
import measurement from '../../../../../docs/measurement.md?raw';
import operating from '../../../../../docs/operating.md?raw';
import performance from '../../../../../docs/performance.md?raw';
import ranking from '../../../../../docs/ranking.md?raw';
import reliability from '../../../../../docs/reliability.md?raw';
import site from '../../../../../docs/site.md?raw';
import tolerance from '../../../../../docs/tolerance.md?raw';
import tuning from '../../../../../docs/tuning.md?raw';
import yourKernel from '../../../../../docs/your-kernel.md?raw';

/** One primer of docs/, which the site shows as the repository keeps it. */
export interface Primer {
  /** File name without its ending: the address under /docs. */
  readonly slug: string;
  readonly title: string;
  /** What it answers, in a sentence. */
  readonly summary: string;
  /** Everything below the title, as Markdown. */
  readonly text: string;
}

/** The primers by what the reader wants. */
export const GROUPS: readonly {
  readonly title: string;
  /** What it is for. */
  readonly about: string;
  readonly primers: readonly Primer[];
}[] = [
  {
    title: 'Start',
    about: 'put your GPU, your problem, or your kernel on the grid',
    primers: [
      primerOf(
        'attaching',
        attaching,
        'Add a GPU with one command or a browser tab: what it needs, and how to keep it running.',
      ),
      primerOf(
        'tuning',
        tuning,
        'Find the fastest variant for your problem on your GPU, in minutes.',
      ),
      primerOf(
        'your-kernel',
        yourKernel,
        'Bring your own WGSL: have it proved, measured, and compared with ours, here and in CI.',
      ),
    ],
  },
  {
    title: 'Trust',
    about: 'why to believe a number',
    primers: [
      primerOf(
        'measurement',
        measurement,
        'From warm-up to interval: what happens before a number is recorded.',
      ),
      primerOf('tolerance', tolerance, 'How every element is checked, and how wrong it may be.'),
      primerOf(
        'ranking',
        ranking,
        'Who is faster, who shares a rank, what is never ranked, and which variant to run.',
      ),
      primerOf(
        'performance',
        performance,
        'How close the kernels come to cuBLAS and to the hardware, and what holds them back.',
      ),
    ],
  },
  {
    title: 'Operate',
    about: 'run a grid of your own',
    primers: [
      primerOf(
        'operating',
        operating,
        'Run, secure, back up, and watch a grid, on one machine or many.',
      ),
      primerOf(
        'reliability',
        reliability,
        'Which faults a grid survives, who notices them, and the test that proves it.',
      ),
    ],
  },
  {
    title: 'Extend',
    about: 'change Tilemark itself',
    primers: [
      primerOf(
        'adding-a-kernel',
        addingAKernel,
        'Where a new kernel, dtype, op, metric, page, or endpoint goes in the sources.',
      ),
      primerOf(
        'site',
        site,
        'How charts, verdicts, and estimates are made, and how fast pages answer.',
      ),
      primerOf('libraries', libraries, 'Which libraries do what, and why each was chosen.'),
    ],
  },
];

/** Every primer in reading order: from use to inner workings. */
export const PRIMERS: readonly Primer[] = GROUPS.flatMap(({ primers }) => primers);

function primerOf(slug: string, source: string, summary: string): Primer {
  const [, title = slug, text = source] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  return { slug, title, summary, text };
}

/**
 * Where a link of a primer leads: another primer, a place outside, or nowhere
 * (null) for a file of the repository, which the site does not serve.
 */
export function hrefOf(link: string): string | null {
  if (/^(https?:|#)/.test(link)) return link;
  const [, slug, anchor = ''] = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(link) ?? [];
  return PRIMERS.some((primer) => primer.slug === slug) ? `/docs/${slug}${anchor}` : null;
}
