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

/** One primer of docs/, which the site shows as the repository keeps it. */
export interface Primer {
  /** File name without its ending: the address under /docs. */
  readonly slug: string;
  readonly title: string;
  /** Its first paragraph, as Markdown. */
  readonly lead: string;
  /** Everything below the title, as Markdown. */
  readonly text: string;
}

/** Every primer in reading order: from use to inner workings. */
export const PRIMERS: readonly Primer[] = [
  primerOf('attaching', attaching),
  primerOf('operating', operating),
  primerOf('reliability', reliability),
  primerOf('measurement', measurement),
  primerOf('tolerance', tolerance),
  primerOf('ranking', ranking),
  primerOf('tuning', tuning),
  primerOf('performance', performance),
  primerOf('adding-a-kernel', addingAKernel),
  primerOf('site', site),
  primerOf('libraries', libraries),
];

function primerOf(slug: string, source: string): Primer {
  const [, title = slug, text = source] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  const lead = text.split(/\n\s*\n/).find((block) => /^(?!```)[A-Z`*]/.test(block)) ?? '';
  return { slug, title, lead, text };
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
