'use client';

import type { Published, RunView } from '@tilemark/core';
import { kernelOf, shapeText } from '@tilemark/kernels';
import { type ReactNode, useMemo } from 'react';
import { VariantLink } from '@/features/kernels/address';
import { formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { NoteMark, Notes } from '@/ui/note';
import { Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { shortDeviceName } from '../../devices/short-device-name';
import { variedTunables } from '../runs';
import { besideReport, type Column, pivotOf, type Row, rowsOf, type Timing } from './beside-report';

/** The report that the sweep's suite reproduces, line by line, with each of our devices below it. */
export function ReportTable({ report, runs }: { report: Published; runs: readonly RunView[] }) {
  const { columns, lines } = useMemo(
    () => besideReport(report, runs, ({ problem }) => shapeText(problem)),
    [report, runs],
  );
  const pivot = useMemo(() => pivotOf(lines), [lines]);
  const shapes = [...new Set(lines.map(({ published }) => published.shape))];
  const isOtherSize = lines.some(({ ours, published }) =>
    ours.some((line) => line !== null && line.shape !== published.shape),
  );
  const { source } = report;
  const varied = useMemo(() => variedTunables(report.results), [report]);
  const notes = [...new Set(lines.flatMap(({ figure }) => figure.note ?? []))];

  return (
    <Section
      id="report"
      title={columns.length > 0 ? 'Compared with the published report' : 'The published report'}
      note={`${source.title}${source.date ? `, ${source.date}` : ''}, on ${hardwareText(report)}; ${lines.length > 0 ? `${sizeText(shapes, isOtherSize)}lower is faster, × is the speed-up over the first figure of the same source and size` : 'it gives no figures for these, so only the kernels are reproduced'}`}
    >
      {lines.length > 0 && (
        <>
          <DataTable
            caption={`Published figures of ${source.title}${columns.length > 0 ? ', with ours below them' : ''}`}
            rows={rowsOf(pivot, columns)}
            keyOf={({ by, of }) => `${of.label} ${of.address} ${by ? titleOf(by) : ''}`}
            columns={[
              {
                head: 'In the report',
                cell: ({ by, of: { address, label } }) => (
                  // Said once; to readers who hear it, and on a phone's cards, with each time.
                  <span className={by ? 'sm:sr-only' : ''}>
                    {label}{' '}
                    <span className="block font-normal">
                      <VariantLink
                        address={address}
                        resultId={null}
                        varied={varied.get(kernelOf(address))}
                      />
                    </span>
                  </span>
                ),
              },
              {
                head: 'Source',
                cell: ({ by }) =>
                  by ? (
                    <span title={titleOf(by)}>{shortDeviceName(by.device.name)}</span>
                  ) : (
                    <span className="text-muted">published</span>
                  ),
              },
              ...pivot.heads.map((head, at) => ({
                head,
                isFigure: true,
                cell: ({ by, of, timings }: Row) => {
                  const timing = timings[at];
                  if (!timing) return '–';
                  const { figure, firstNote = null, published } = of.cells[at] ?? {};
                  const markOf = (note: string | null) =>
                    by ? null : <NoteMark of={note} among={notes} />;
                  return timingText(timing, published?.shape, {
                    time: markOf(figure?.note ?? null),
                    ratio: markOf(firstNote),
                  });
                },
              })),
            ]}
          />
          <Notes of={notes} />
          {source.note && <p className="mt-2 max-w-prose text-xs text-muted">{source.note}</p>}
        </>
      )}
    </Section>
  );
}

/** A report's figures of the host are of other hardware than those of its GPU. */
function hardwareText({ hardware: { cpu, gpu }, results }: Published): string {
  const unnamed = 'hardware not named';
  const isOnHost = results.map(({ runtime }) => runtime === 'cpu');
  if (!isOnHost.includes(true)) return gpu ?? unnamed;
  if (!isOnHost.includes(false)) return cpu ?? unnamed;
  return cpu === gpu ? (gpu ?? unnamed) : `${gpu ?? unnamed}, host rows on ${cpu ?? unnamed}`;
}

const titleOf = ({ device, profile }: Column): string => `${device.name}, ${profile}`;

/** The size of a report that has one: a table of several has them as headings. */
const sizeText = ([only, other]: readonly string[], isOtherSize: boolean): string =>
  only !== undefined && other === undefined
    ? `its size is ${formatShape(only)}${isOtherSize ? ', and another size stands beside its time' : ''}; `
    : '';

/**
 * @param shape of the report: another one is said
 * @param marks behind the time, and behind the ratio
 */
function timingText(
  { ns, overFirst, shape: own }: Timing,
  shape: string | undefined,
  marks: { readonly time: ReactNode; readonly ratio: ReactNode },
) {
  return (
    <>
      {formatNs(ns)}
      {marks.time}{' '}
      <span className="text-xs text-muted">
        {overFirst !== null && (
          <>
            {formatSpeedup(overFirst)}
            {marks.ratio}
          </>
        )}
        {own !== shape && ` at ${formatShape(own)}`}
      </span>
    </>
  );
}
