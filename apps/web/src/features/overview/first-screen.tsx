/** The first screen: what this is, one picture, three facts, and the ways in. */
import type { ReferenceFigure } from '@tilemark/core';
import type { Overview } from '@tilemark/core/server';
import { KERNELS } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { Command } from '@/ui/action';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatCount, plural } from '@/ui/format';
import { Picture } from './picture';
import { pictureRows } from './picture-rows';

const FACTS: readonly { readonly title: string; readonly text: string; readonly href: string }[] = [
  {
    title: 'Proved',
    text: 'Every result measured by this grid is checked against a reference before and after it is timed.',
    href: '/docs/measure#how-right-is-right',
  },
  {
    title: 'Honest',
    text: 'Devices share a rank unless one is more than 0.5% faster with 95% confidence. Noise never improves a rank.',
    href: '/docs/measure#ranking',
  },
  {
    title: 'Repeatable',
    text: 'Every result has its samples, its environment, and the command that measures it again.',
    href: '/docs/measure',
  },
];

/**
 * @param figures of reference, of f32 products; empty if the grid shows none unasked
 * @param origin of this grid, as the reader reaches it
 */
export function FirstScreen({
  overview,
  figures,
  origin,
}: {
  overview: Overview;
  figures: readonly ReferenceFigure[];
  origin: string;
}) {
  return (
    <section
      aria-labelledby="what"
      className="mb-10 grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]"
    >
      <div className="space-y-4">
        <h1 id="what" className="text-2xl leading-8 sm:text-[1.75rem] sm:leading-9">
          Which WGSL matrix multiply is fastest on your GPU?
        </h1>
        <p className="text-muted">
          Tilemark measures matrix-multiply and transpose kernels for WebGPU on every machine that
          joins, proves each result correct, and ranks them across hardware.
        </p>
        <p className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
          <Count href="/devices">{plural(overview.devices, 'device')}</Count>
          <span>
            <Count href="/sweeps">{plural(overview.results, 'result')}</Count>
            {overview.imported > 0 && (
              <span className="text-muted"> ({formatCount(overview.imported)} imported)</span>
            )}
          </span>
          <Count href="/kernels">{plural(KERNELS.length, 'kernel')}</Count>
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink href="/workers#attach" look="primary">
            Add your GPU
          </ButtonLink>
          <ButtonLink href="/join">Benchmark this browser</ButtonLink>
          <ButtonLink href="/kernels/new">Try a kernel</ButtonLink>
          <ButtonLink href="#board">Results</ButtonLink>
        </div>
        {/* The command that joins needs a token, which few readers have: its page makes or takes one. */}
        <div>
          <p className="mb-1 text-xs text-muted">
            <span className="font-medium text-ink">Measure without joining</span>, with nothing
            sent. To join, “Add your GPU” has the command and its token.
          </p>
          <Command
            label="the command that measures without joining"
            text={`npx -y ${origin}/worker.tgz bench`}
          />
        </div>
      </div>
      <div className="max-lg:row-start-2">
        <Picture rows={pictureRows(overview.bests, figures)} />
      </div>
      <ul className="grid gap-x-8 gap-y-3 text-[0.8125rem] sm:grid-cols-3 lg:col-span-2">
        {FACTS.map(({ href, text, title }) => (
          <li key={href} className="border-t border-line-strong pt-2">
            <TextLink href={href} className="font-medium">
              {title}
            </TextLink>
            <span className="mt-0.5 block text-muted">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Count({ href, children }: { href: string; children: ReactNode }) {
  return (
    <TextLink href={href} className="font-medium">
      {children}
    </TextLink>
  );
}
