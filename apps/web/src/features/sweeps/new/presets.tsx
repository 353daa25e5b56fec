'use client';

import { publishedOfSuite, SUITES } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button, TextLink } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { submitSweep } from '@/ui/request';

/** The suites that reproduce a published report, each in one click. */
export function Presets({ maySubmit }: { maySubmit: boolean }) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);

  const run = (suite: string, name: string) =>
    startTransition(async () => {
      const submitted = await submitSweep({ name, suite, params: {} });
      if (submitted.ok) router.push(`/sweeps/${submitted.value.id}`);
      else setProblem(submitted.message);
    });

  return (
    <Section
      id="reports"
      title="Reproduce a report"
      note="as published, on every device with a worker attached"
    >
      {problem && (
        <div className="mb-3">
          <Notice tone="rose" alert>
            {problem}
          </Notice>
        </div>
      )}
      <Panel>
        <ul className="grid gap-px overflow-hidden bg-line sm:grid-cols-2 sm:[&>li:last-child:nth-child(odd)]:col-span-2">
          {SUITES.filter(({ published }) => published).map(({ about, id, params, title }) => (
            <li key={id} className="flex items-start gap-3 bg-surface px-4 py-2.5">
              <div className="min-w-0 flex-1">
                <p className="text-[0.8125rem] font-medium">{title}</p>
                <p className="text-xs text-muted">
                  {about} (
                  {params.map(({ default: value, name }) => `${name} = ${value}`).join(', ')})
                </p>
                <p className="text-xs text-muted">{publishedOfSuite(id)?.source.title}</p>
              </div>
              <div className="flex flex-col items-end gap-1 text-xs">
                {maySubmit && (
                  <Button
                    disabled={isPending}
                    aria-label={`Reproduce ${title}`}
                    onClick={() => run(id, `${title}, as published`)}
                  >
                    Reproduce
                  </Button>
                )}
                <TextLink href={`/sweeps/new?suite=${id}`} aria-label={`Adjust ${title}`}>
                  Adjust
                </TextLink>
              </div>
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  );
}
