'use client';

import type { Published, RunView } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { Fragment, useMemo } from 'react';
import { VariantLink } from '@/features/kernels/address';
import { formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { Section } from '@/ui/page';
import { TablePanel } from '@/ui/table';
import { shortDeviceName } from '../../devices/device-name';
import { besideReport, pivotOf, type Timing } from './beside-report';

/** The report that the sweep's suite reproduces, line by line, with each of our devices beside it. */
export function ReportTable({ report, runs }: { report: Published; runs: readonly RunView[] }) {
  const { columns, lines } = useMemo(
    () => besideReport(report, runs, ({ problem }) => shapeText(problem)),
    [report, runs],
  );
  const { heads, rows } = useMemo(() => pivotOf(lines), [lines]);
  const { hardware, source } = report;

  return (
    <Section
      id="report"
      title="Compared with the published report"
      note={`${source.title}${source.date ? `, ${source.date}` : ''}, on ${hardware.gpu ?? hardware.cpu ?? 'hardware not named'}; ${lines.length > 0 ? 'lower is faster, × is the speed-up over the report’s first figure at the same size of matrices' : 'it gives no figures for these, so only the kernels are reproduced'}`}
    >
      {lines.length > 0 && (
        <TablePanel caption={`Published figures of ${source.title}, with ours beside them`}>
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                In the report
              </th>
              {heads.map((head) => (
                <th
                  key={head}
                  scope="colgroup"
                  colSpan={columns.length + 1}
                  className="!text-center"
                >
                  {head}
                </th>
              ))}
            </tr>
            <tr>
              {heads.map((head) => (
                <Fragment key={head}>
                  <th scope="col" className="figure !font-normal">
                    published
                  </th>
                  {columns.map(({ device, profile }) => (
                    <th
                      key={`${device.key} ${profile}`}
                      scope="col"
                      className="figure !font-normal"
                      title={`${device.name}, ${profile}`}
                    >
                      {shortDeviceName(device.name)}
                    </th>
                  ))}
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ address, cells, label }) => (
              <tr key={`${label} ${address}`}>
                <th scope="row" className="min-w-40">
                  {label}
                  <span className="block font-normal">
                    <VariantLink address={address} resultId={null} />
                  </span>
                </th>
                {cells.map((line, index) => (
                  <Fragment key={heads[index]}>
                    <TimingCell timing={line?.published} />
                    {columns.map(({ device, profile }, of) => (
                      <TimingCell
                        key={`${device.key} ${profile}`}
                        timing={line?.ours[of]}
                        shape={line?.published.shape}
                      />
                    ))}
                  </Fragment>
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

function TimingCell({
  timing,
  shape = timing?.shape,
}: {
  timing: Timing | null | undefined;
  /** Of the report: another one is said. */
  shape?: string | undefined;
}) {
  if (!timing) return <td className="figure text-muted">–</td>;
  return (
    <td className="figure">
      {formatNs(timing.ns)}
      <span className="block text-xs text-muted">
        {timing.overFirst !== null && formatSpeedup(timing.overFirst)}
        {timing.shape !== shape && ` at ${formatShape(timing.shape)}`}
      </span>
    </td>
  );
}
