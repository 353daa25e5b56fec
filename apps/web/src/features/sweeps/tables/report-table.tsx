'use client';

import type { Published, RunView } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { useMemo } from 'react';
import { VariantLink } from '@/features/kernels/address';
import { formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { shortDeviceName } from '../../devices/device-name';
import { besideReport, type Line, type Pivot, pivotOf, type Timing } from './beside-report';

/** A line of the report, as published or as one of our devices ran it. */
interface Row {
  readonly of: Pivot['rows'][number];
  /** Who took its times. */
  readonly by: { readonly name: string; readonly title?: string };
  readonly timingOf: (line: Line) => Timing | null;
  readonly isPublished: boolean;
}

/** The report that the sweep's suite reproduces, line by line, with each of our devices below it. */
export function ReportTable({ report, runs }: { report: Published; runs: readonly RunView[] }) {
  const { columns, lines } = useMemo(
    () => besideReport(report, runs, ({ problem }) => shapeText(problem)),
    [report, runs],
  );
  const { heads, rows } = useMemo(() => pivotOf(lines), [lines]);
  const { hardware, source } = report;
  const timed = rows.flatMap((of): Row[] => [
    {
      ...{ of, by: { name: 'published' }, isPublished: true },
      timingOf: ({ published }) => published,
    },
    ...columns.map(({ device, profile }, at) => ({
      of,
      by: { name: shortDeviceName(device.name), title: `${device.name}, ${profile}` },
      timingOf: ({ ours }: Line) => ours[at] ?? null,
      isPublished: false,
    })),
  ]);

  return (
    <Section
      id="report"
      title="Compared with the published report"
      note={`${source.title}${source.date ? `, ${source.date}` : ''}, on ${hardware.gpu ?? hardware.cpu ?? 'hardware not named'}; ${lines.length > 0 ? 'lower is faster, × is the speed-up over the report’s first figure at the same size of matrices' : 'it gives no figures for these, so only the kernels are reproduced'}`}
    >
      {lines.length > 0 && (
        <>
          <DataTable
            caption={`Published figures of ${source.title}, with ours below them`}
            rows={timed}
            keyOf={({ by, of }) => `${of.label} ${of.address} ${by.title ?? by.name}`}
            columns={[
              {
                head: 'In the report',
                cell: ({ isPublished, of: { address, label } }) => (
                  // Said once; to readers who hear it, and on a phone's cards, with each time.
                  <span className={isPublished ? '' : 'sm:sr-only'}>
                    {label}{' '}
                    <span className="block font-normal">
                      <VariantLink address={address} resultId={null} />
                    </span>
                  </span>
                ),
              },
              {
                head: 'Source',
                cell: ({ by: { name, title } }) => (
                  <span title={title} className={title ? '' : 'text-muted'}>
                    {name}
                  </span>
                ),
              },
              ...heads.map((head, at) => ({
                head,
                isFigure: true,
                cell: ({ of, timingOf }: Row) => {
                  const line = of.cells[at];
                  const timing = line ? timingOf(line) : null;
                  return timing && line ? timingText(timing, line.published.shape) : '–';
                },
              })),
            ]}
          />
          {source.note && <p className="mt-2 max-w-prose text-xs text-muted">{source.note}</p>}
        </>
      )}
    </Section>
  );
}

/** @param shape of the report: another one is said */
function timingText({ ns, overFirst, shape: own }: Timing, shape: string) {
  return (
    <>
      {formatNs(ns)}{' '}
      <span className="text-xs text-muted">
        {overFirst !== null && formatSpeedup(overFirst)}
        {own !== shape && ` at ${formatShape(own)}`}
      </span>
    </>
  );
}
