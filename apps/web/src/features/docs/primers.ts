/** The guides of docs/, the records behind their figures, and the ladders, shown as pages of the site. */
import { KERNELS } from '@tilemark/kernels';
import GithubSlugger from 'github-slugger';
import bring from '../../../../../docs/bring.md?raw';
import choose from '../../../../../docs/choose.md?raw';
import commandLine from '../../../../../docs/command-line.md?raw';
import extend from '../../../../../docs/extend.md?raw';
import measure from '../../../../../docs/measure.md?raw';
import operate from '../../../../../docs/operate.md?raw';
import cardsH200 from '../../../../../docs/results/cards-h200.md?raw';
import contributedH200 from '../../../../../docs/results/contributed-h200.md?raw';
import faults from '../../../../../docs/results/faults.md?raw';
import goals from '../../../../../docs/results/goals.md?raw';
import gridLoad from '../../../../../docs/results/grid-load.md?raw';
import harnessH200 from '../../../../../docs/results/harness-h200.md?raw';
import mutants from '../../../../../docs/results/mutants.md?raw';
import occupancyH200 from '../../../../../docs/results/occupancy-h200.md?raw';
import performanceH200 from '../../../../../docs/results/performance-h200.md?raw';
import ranksH200 from '../../../../../docs/results/ranks-h200.md?raw';
import realKernels from '../../../../../docs/results/real-kernels.md?raw';
import reportsOnH200 from '../../../../../docs/results/reports-on-h200.md?raw';
import siteSpeed from '../../../../../docs/results/site-speed.md?raw';
import statistics from '../../../../../docs/results/statistics.md?raw';
import trialsH200 from '../../../../../docs/results/trials-h200.md?raw';
import tuningH200 from '../../../../../docs/results/tuning-h200.md?raw';
import start from '../../../../../docs/start.md?raw';
import matmul from '../../../../../packages/kernels/src/matmul/README.md?raw';
import transpose from '../../../../../packages/kernels/src/transpose/README.md?raw';

/** One primer of docs/, which the site shows as the repository keeps it. */
export interface Primer {
  /** In the repository. */
  readonly file: string;
  /** Its name without the ending, or a README's folder: the address under /docs. */
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
    title: 'Guides',
    about: 'from the first start to changing Tilemark itself',
    primers: [
      primerOf(
        'docs/start.md',
        start,
        'What starts, what the words mean, how to submit a sweep, and how to measure without a grid.',
      ),
      primerOf(
        'docs/measure.md',
        measure,
        'How a number is measured, how every element is checked, and what is ranked.',
      ),
      primerOf(
        'docs/choose.md',
        choose,
        'Which variant to run, how fast the kernels are, and how to search for a faster one.',
      ),
      primerOf(
        'docs/bring.md',
        bring,
        'Have your own WGSL proved, measured, and compared with ours, here and in CI.',
      ),
      primerOf(
        'docs/operate.md',
        operate,
        'Attach GPUs and browser tabs; run, secure, back up, and watch a grid.',
      ),
      primerOf(
        'docs/extend.md',
        extend,
        'Where a new kernel, dtype, op, metric, page, or endpoint goes in the sources.',
      ),
    ],
  },
  {
    title: 'Reference',
    about: 'made from the sources',
    primers: [
      primerOf(
        'docs/command-line.md',
        commandLine,
        'Every command of the program, with its options.',
      ),
    ],
  },
  {
    title: 'Kernels',
    about: 'each ladder, rung by rung',
    primers: [
      primerOf(
        'packages/kernels/src/matmul/README.md',
        matmul,
        'From one thread per element to matrix units: what each idea is worth, and why.',
      ),
      primerOf(
        'packages/kernels/src/transpose/README.md',
        transpose,
        'From a plain copy to pitched tiles: what each idea is worth, and why.',
      ),
    ],
  },
  {
    title: 'Evidence',
    about: 'what was measured, behind the figures above',
    primers: [
      primerOf(
        'docs/results/goals.md',
        goals,
        'What an H200 and an H100 reach beside cuBLAS and a copy, on shapes nobody tuned, and what is missed.',
      ),
      primerOf(
        'docs/results/performance-h200.md',
        performanceH200,
        'How close the kernels come to cuBLAS and to the hardware, and what holds them back.',
      ),
      primerOf(
        'docs/results/reports-on-h200.md',
        reportsOnH200,
        'What published lab reports found, repeated on an H200: which findings hold there.',
      ),
      primerOf(
        'docs/results/trials-h200.md',
        trialsH200,
        'What bounds the kernels on an H200, and every design that lost.',
      ),
      primerOf(
        'docs/results/occupancy-h200.md',
        occupancyH200,
        'How many workgroups a multiprocessor keeps, by the memory that they take.',
      ),
      primerOf(
        'docs/results/tuning-h200.md',
        tuningH200,
        'Every search that found a shipped variant: its budget, trials, and winner.',
      ),
      primerOf(
        'docs/results/ranks-h200.md',
        ranksH200,
        'The same variants measured again and again: whether a rank ever changes.',
      ),
      primerOf(
        'docs/results/statistics.md',
        statistics,
        'How often intervals and verdicts are right, on devices whose truth is known.',
      ),
      primerOf(
        'docs/results/mutants.md',
        mutants,
        'Eighty kernels, each wrong in one way, and whether each is caught wherever it is.',
      ),
      primerOf(
        'docs/results/harness-h200.md',
        harnessH200,
        'How much of a run is verification, by size, type and profile.',
      ),
      primerOf(
        'docs/results/cards-h200.md',
        cardsH200,
        'One worker with two cards: what they cost each other, and how energy is read.',
      ),
      primerOf(
        'docs/results/grid-load.md',
        gridLoad,
        'How many runs per second a grid handles, and what bounds it.',
      ),
      primerOf(
        'docs/results/faults.md',
        faults,
        'Which faults a grid survives, and the test that proves it.',
      ),
      primerOf(
        'docs/results/site-speed.md',
        siteSpeed,
        'How fast pages answer over a million results.',
      ),
      primerOf(
        'docs/results/contributed-h200.md',
        contributedH200,
        'Matrix products of other projects beside ours.',
      ),
      primerOf(
        'docs/results/real-kernels.md',
        realKernels,
        '25 kernels of public projects as they are: what each needed, and which are right.',
      ),
    ],
  },
];

/** Every primer in reading order: from use to inner workings. */
export const PRIMERS: readonly Primer[] = GROUPS.flatMap(({ primers }) => primers);

function primerOf(file: string, source: string, summary: string): Primer {
  const [, slug = file] = /([^/]+)(?:\/README)?\.md$/.exec(file) ?? [];
  const [, title = slug, text = source] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  return { file, slug, title, summary, text };
}

/**
 * A primer's text as the grid at `origin` shows it: its commands are for this grid. Only a checkout
 * knows `npx tilemark`, and the name is not published; what the grid serves works anywhere.
 */
export const textFor = ({ text }: Primer, origin: string): string =>
  text
    .replaceAll('npx tilemark ', `npx -y ${origin}/worker.tgz `)
    .replaceAll(/http:\/\/(?:grid\.example|localhost):3000/g, origin);

interface Heading {
  readonly id: string;
  readonly level: number;
  readonly title: string;
}

/** The headings below a primer's title, with the ids that `Markdown` gives them. */
export function headingsOf({ text }: Primer): Heading[] {
  const slugger = new GithubSlugger();
  // A comment of a shell begins like a heading.
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^(##+) (.+)$/gm);
  return [...headings].map(([, { length: level } = '', words = '']) => {
    const title = words.replaceAll(/[`_*]/g, '');
    return { id: slugger.slug(title), level, title };
  });
}

/**
 * Where a link of a primer leads: another primer, the file behind its figures, a kernel, a place
 * outside, or nowhere (null) for a file of the repository that the site does not serve.
 *
 * @param file the primer's own, which the link starts from
 */
export function hrefOf(link: string, file: string): string | null {
  if (/^(https?:|#)/.test(link)) return link;
  const { hash, pathname } = new URL(link, `file:///${file}`);
  const primer = PRIMERS.find((each) => pathname === `/${each.file}`);
  if (primer) return `/docs/${primer.slug}${hash}`;
  // Copied there by scripts/copy-records.mjs.
  if (/^\/docs\/results\/.+\.json$/.test(pathname)) return pathname;
  const [, op, cpu = '', name] = RUNG.exec(pathname) ?? [];
  const kernel = KERNELS.find(({ id }) => id === `${op}/${cpu && 'cpu-'}${name}`);
  return kernel ? `/kernels/${kernel.id}` : null;
}

/** A kernel's file: its op, its number, and its idea. */
const RUNG = /^\/packages\/kernels\/src\/(\w+)\/(cpu\/)?\d+-([\w-]+)\.(?:wgsl|ts)$/;
