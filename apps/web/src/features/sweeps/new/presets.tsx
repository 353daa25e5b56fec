'use client';

import {
  countRuns,
  type Device,
  findSuite,
  type Pace,
  publishedOfSuite,
  SUITES,
  suiteSpec,
} from '@tilemark/core';
import { isInputError } from '@tilemark/kernels';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button, TextLink } from '@/ui/button';
import { formatEstimate, formatParams } from '@/ui/format';
import { Failure, Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { submitSweep } from '@/ui/request';
import { hangs } from './counted';

/** The suites that reproduce a published report, each in one click. */
export function Presets({
  maySubmit,
  devices,
  paces,
}: {
  maySubmit: boolean;
  devices: readonly Device[];
  paces: readonly Pace[];
}) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);

  const able = devices.filter(({ workers }) => workers > 0);
  const isIdle = able.length === 0;

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
      {isIdle && (
        <div id="no-worker" className="mb-3">
          <Notice tone="amber">
            No worker is attached, so nothing can be reproduced now.{' '}
            <TextLink href="/add">Attach a machine</TextLink>, or adjust a report and choose the
            device that will run it later.
          </Notice>
        </div>
      )}
      <Failure why={problem} className="mb-3" />
      <Panel>
        <ul className="grid gap-px overflow-hidden bg-line sm:grid-cols-2 sm:[&>li:last-child:nth-child(odd)]:col-span-2">
          {SUITES.filter(({ published }) => published).map(({ about, id, params, title }) => {
            const { why, smaller } = isIdle ? { why: null, smaller: null } : fitOf(id, able, paces);
            const query = new URLSearchParams({ suite: id, ...smaller });
            return (
              <li key={id} className="flex items-start gap-3 bg-surface px-4 py-2.5">
                <div className="min-w-0 flex-1">
                  <p className="text-[0.8125rem] font-medium">{title}</p>
                  <p className="text-xs text-muted">
                    {about} (
                    {formatParams(
                      Object.fromEntries(params.map(({ default: value, name }) => [name, value])),
                    )}
                    )
                  </p>
                  <p className="text-xs text-muted">{publishedOfSuite(id)?.source.title}</p>
                  {why && (
                    <p id={`${id}-why`} className="text-xs text-amber">
                      {why}{' '}
                      {smaller && (
                        <TextLink href={`/sweeps/new?${query}`}>
                          {formatParams(smaller)} fits
                        </TextLink>
                      )}
                    </p>
                  )}
                </div>
                <div className="flex flex-col items-end gap-1 text-xs">
                  {maySubmit && (
                    <Button
                      disabled={isPending || isIdle || why !== null}
                      aria-describedby={isIdle ? 'no-worker' : why ? `${id}-why` : undefined}
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
            );
          })}
        </ul>
      </Panel>
    </Section>
  );
}

/** Longer than this nobody waits for, s. */
const TOO_LONG_S = 2 * 3600;

/** Why the devices at work cannot run a suite as published, and the largest sizes of it that fit. */
function fitOf(
  suite: string,
  able: readonly Device[],
  paces: readonly Pace[],
): { why: string | null; smaller: Record<string, string> | null } {
  const { params } = findSuite(suite);
  const counted = (values: Readonly<Record<string, number>>) => {
    try {
      return countRuns(suiteSpec(suite, values), able, paces);
    } catch (error) {
      if (isInputError(error)) return error.message; // its tensors fit no device
      throw error;
    }
  };
  const whyNot = (values: Readonly<Record<string, number>>): string | null => {
    const count = counted(values);
    if (typeof count === 'string') return count;
    const skipped = count.skipped.reduce((sum, each) => sum + each.runs, 0);
    if (skipped === count.runs) return `Every run would be skipped: ${count.skipped[0]?.why}.`;
    const seconds = Math.max(...count.devices.map((each) => each.seconds ?? 0));
    if (seconds > TOO_LONG_S) return `It would take ${formatEstimate(seconds)}.`;
    return count.devices.map(hangs).find((hung) => hung !== null) ?? null;
  };
  let values = Object.fromEntries(params.map((param) => [param.name, param.default]));
  const why = whyNot(values);
  if (why === null) return { why, smaller: null };
  for (;;) {
    const next = Object.fromEntries(
      params.map(({ min, name }) => [name, Math.max(min, Math.floor((values[name] ?? min) / 2))]),
    );
    if (params.every(({ name }) => next[name] === values[name])) return { why, smaller: null };
    values = next;
    if (whyNot(values) === null) {
      const smaller = Object.entries(values).map(([name, value]) => [name, String(value)]);
      return { why, smaller: Object.fromEntries(smaller) };
    }
  }
}
