'use client';

import type { Published, RunView } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { useMemo } from 'react';
import { VariantLink } from '@/features/kernels/address';
import { formatNs, formatSpeedup } from '@/ui/format';
import { Section } from '@/ui/page';
import { TablePanel } from '@/ui/table';
import { shortDeviceName } from '../devices/device-name';
import { besideReport, type Timing } from './beside-report';

/** The report that the sweep's suite reproduces, line by line, with each of our devices beside it. */
export function ReportTable({ report, runs }: { report: Published; runs: readonly RunView[] }) {
  const { columns, lines } = useMemo(
    () => besideReport(report, runs, ({ problem }) => shapeText(problem)),
    [report, runs],
  );
  const { hardware, source } = report;

  return (
    <Section
      id="report"
      title="Beside the report"
      note={`${source.title}${source.date ? `, ${source.date}` : ''}; ${lines.length > 0 ? 'lower is faster, ratios are over the first line of its shape' : 'its text prints no figures'}`}
    >
      {lines.length > 0 && (
        <TablePanel caption={`Published figures of ${source.title}, with ours beside them`}>
          <thead>
            <tr>
              <th scope="col">In the report</th>
              <th scope="col">Variant here</th>
              <th scope="col" className="figure">
                {hardware.gpu ?? hardware.cpu ?? 'hardware not named'}
                <span className="block font-normal">published</span>
              </th>
              {columns.map(({ device, profile }) => (
                <th
                  key={`${device.key} ${profile}`}
                  scope="col"
                  className="figure"
                  title={device.name}
                >
                  {shortDeviceName(device.name)}
                  <span className="block font-normal">{profile}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ figure, ours, published }) => (
              <tr key={`${figure.label} ${figure.address} ${published.shape}`}>
                <th scope="row" className="whitespace-nowrap" title={figure.note ?? undefined}>
                  {figure.label}
                </th>
                <td className="min-w-40">
                  <VariantLink address={figure.address} resultId={null} />
                </td>
                <TimingCell timing={published} />
                {columns.map(({ device, profile }, index) => (
                  <TimingCell key={`${device.key} ${profile}`} timing={ours[index] ?? null} />
                ))}
              </tr>
            ))}
          </tbody>
        </TablePanel>
      )}
      {source.note && <p className="mt-2 max-w-prose text-xs text-muted">{source.note}</p>}
    </Section>
  );
}

function TimingCell({ timing }: { timing: Timing | null }) {
  if (!timing) return <td className="figure text-muted">–</td>;
  return (
    <td className="figure">
      {formatNs(timing.ns)}
      <span className="block text-xs text-muted">
        {timing.shape}
        {timing.overFirst !== null && `, ${formatSpeedup(timing.overFirst)}`}
      </span>
    </td>
  );
}
