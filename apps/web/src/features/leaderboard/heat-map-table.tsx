import type { HeatMap as DeviceMap, HeatMapCell, ReferenceFigure } from '@tilemark/core';
import { KERNELS, opOf, shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { shortKernel } from '@/features/sweeps/runs';
import { formatRate, formatShape } from '@/ui/format';
import { type HeatCell, HeatMap } from '@/ui/heat-map';
import { Badge } from '@/ui/notice';
import { STRONGEST } from '@/ui/plot/scales';
import type { BoardQuery } from './query';
import { provenance } from './reference-rows';

/**
 * Devices x kernels: the rate of each kernel's best variant, coloured by its share of the device's best.
 * The numbers say all; colour is for finding them.
 */
export function HeatMapTable({
  map: { kernels: measured, problem, rows },
  reference,
  query,
}: {
  map: DeviceMap;
  /** The fastest figure of each kernel, by hardware; not measured by this grid, never ranked. */
  reference: ReadonlyMap<string, readonly ReferenceFigure[]>;
  query: BoardQuery;
}) {
  if (!problem) return null;
  const shown = new Set([...measured, ...[...reference.values()].flat().map(kernelOf)]);
  const kernels = KERNELS.map(({ id }) => id).filter((id) => shown.has(id));
  const { rateUnit, title } = opOf(problem);
  return (
    <>
      <p className="mb-2 text-xs text-muted">
        {rateUnit(problem)} of each kernel’s best variant, higher is better, and its share of the
        device’s best (★). Italic: not ranked.
      </p>
      <HeatMap
        caption={`Devices and kernels: ${title}, ${formatShape(shapeText(problem))}, ${problem.dtype}, profile ${query.profile}`}
        corner="Device"
        columns={kernels.map((kernel) => ({
          key: kernel,
          name: shortKernel(kernel),
          content: shortKernel(kernel),
        }))}
        rows={[
          ...rows.map(({ device }) => ({
            key: device.key,
            content: <DeviceName device={device} />,
          })),
          ...[...reference.keys()].map((hardware) => ({
            key: `reference ${hardware}`,
            content: (
              <>
                {hardware} <Badge>measured elsewhere</Badge>
              </>
            ),
          })),
        ]}
        cells={[
          ...rows.map(({ cells }) =>
            kernels.map((kernel) => {
              const cell = cells.find((known) => known.kernel === kernel);
              return cell ? ownCell(cell) : null;
            }),
          ),
          ...[...reference.values()].map((figures) =>
            kernels.map((kernel) => {
              const figure = figures.find((known) => kernelOf(known) === kernel);
              return figure ? referenceCell(figure, figures) : null;
            }),
          ),
        ]}
      />
    </>
  );
}

/** What a figure of a kernel is about. */
const kernelOf = ({ by }: ReferenceFigure): string => (by.kind === 'library' ? by.name : by.kernel);

const fillOf = (part: number | null): string | undefined =>
  part === null
    ? undefined
    : `color-mix(in oklab, var(--accent) ${Math.round(100 * STRONGEST * part)}%, transparent)`;

function ownCell({
  address,
  isImported,
  partOfBest,
  rate,
  resultId,
  unranked,
}: HeatMapCell): HeatCell {
  return {
    href: `/results/${resultId}`,
    about: [address, ...(unranked === null ? [] : [`Not ranked: ${unranked}`])].join('. '),
    fill: unranked === null ? fillOf(partOfBest) : undefined,
    content: (
      <>
        <CellText rate={rate.value} part={partOfBest} isRanked={unranked === null} />{' '}
        {isImported && <Badge tone="amber">imported</Badge>}
      </>
    ),
  };
}

function referenceCell(figure: ReferenceFigure, figures: readonly ReferenceFigure[]): HeatCell {
  const part = Math.min(...figures.map(({ medianNs }) => medianNs)) / figure.medianNs;
  const address = figure.by.kind === 'library' ? '' : `${figure.by.address}. `;
  return {
    href: `${kernelHref(kernelOf(figure))}#reference`,
    about: `${address}${provenance(figure)}`,
    fill: fillOf(part),
    content: <CellText rate={figure.rate.value} part={part} isRanked />,
  };
}

/** The rate, with a star if it is the best of its row, and its share below; on a phone beside it. */
function CellText({
  rate,
  part,
  isRanked,
}: {
  rate: number;
  part: number | null;
  isRanked: boolean;
}) {
  const isBest = isRanked && part === 1;
  return (
    <>
      <span className={isBest ? 'font-semibold' : isRanked ? '' : 'italic'}>
        {isBest && (
          <>
            <span aria-hidden="true">★ </span>
            <span className="sr-only">best: </span>
          </>
        )}
        {formatRate(rate)}
      </span>
      <span className="block text-xs font-normal max-sm:ml-3 max-sm:inline-block">
        {part === null ? 'not ranked' : `${Math.round(100 * part)}%`}
      </span>
    </>
  );
}
