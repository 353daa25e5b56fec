/** The guides of docs/, the records behind their figures, and the ladders, shown as pages of the site. */
import { KERNELS } from '@tilemark/kernels';
import GithubSlugger from 'github-slugger';
import api from '../../../../../docs/api.md?raw';
import bring from '../../../../../docs/bring.md?raw';
import choose from '../../../../../docs/choose.md?raw';
import commandLine from '../../../../../docs/command-line.md?raw';
import extend from '../../../../../docs/extend.md?raw';
import measure from '../../../../../docs/measure.md?raw';
import operate from '../../../../../docs/operate.md?raw';
import cardsH200 from '../../../../../docs/results/cards-h200.md?raw';
import contributedH200 from '../../../../../docs/results/contributed-h200.md?raw';
import enginesH200 from '../../../../../docs/results/engines-h200.md?raw';
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
interface Primer {
  /** In the repository. */
  readonly file: string;
  /** Its name without the ending, or a README's folder: the address under /docs. */
  readonly slug: string;
  readonly title: string;
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
      primerOf('docs/start.md', start),
      primerOf('docs/measure.md', measure),
      primerOf('docs/choose.md', choose),
      primerOf('docs/bring.md', bring),
      primerOf('docs/operate.md', operate),
      primerOf('docs/extend.md', extend),
    ],
  },
  {
    title: 'Reference',
    about: 'made from the sources',
    primers: [primerOf('docs/command-line.md', commandLine), primerOf('docs/api.md', api)],
  },
  {
    title: 'Kernels',
    about: 'each ladder, rung by rung',
    primers: [
      primerOf('packages/kernels/src/matmul/README.md', matmul),
      primerOf('packages/kernels/src/transpose/README.md', transpose),
    ],
  },
  {
    title: 'Evidence',
    about: 'what was measured, behind the figures above',
    primers: [
      primerOf('docs/results/goals.md', goals),
      primerOf('docs/results/performance-h200.md', performanceH200),
      primerOf('docs/results/reports-on-h200.md', reportsOnH200),
      primerOf('docs/results/trials-h200.md', trialsH200),
      primerOf('docs/results/occupancy-h200.md', occupancyH200),
      primerOf('docs/results/tuning-h200.md', tuningH200),
      primerOf('docs/results/ranks-h200.md', ranksH200),
      primerOf('docs/results/statistics.md', statistics),
      primerOf('docs/results/mutants.md', mutants),
      primerOf('docs/results/engines-h200.md', enginesH200),
      primerOf('docs/results/harness-h200.md', harnessH200),
      primerOf('docs/results/cards-h200.md', cardsH200),
      primerOf('docs/results/grid-load.md', gridLoad),
      primerOf('docs/results/faults.md', faults),
      primerOf('docs/results/site-speed.md', siteSpeed),
      primerOf('docs/results/contributed-h200.md', contributedH200),
      primerOf('docs/results/real-kernels.md', realKernels),
    ],
  },
];

/** Every primer in reading order: from use to inner workings. */
export const PRIMERS: readonly Primer[] = GROUPS.flatMap(({ primers }) => primers);

function primerOf(file: string, source: string): Primer {
  const [, slug = file] = /([^/]+)(?:\/README)?\.md$/.exec(file) ?? [];
  const [, title = slug, text = source] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  return { file, slug, title, text };
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
