import type { RooflineRecord, RunResult } from '@tilemark/core';
import { arithmeticIntensity, shapeText } from '@tilemark/kernels';
import { Moment } from '@/ui/facts';
import { formatRate, formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { deviceRoofs } from './roof';
import { BandwidthPlot, RooflinePlot, type RooflinePoint } from './roofline-plot';

/** The device's peak rates by profile, and how close its best results come. */
export function Roofline({
  surveys,
  best,
  device,
  isCpu,
  sheetPeak,
}: {
  surveys: readonly RooflineRecord[];
  best: readonly RunResult[];
  device: string;
  isCpu: boolean;
  /** In f32 by the data sheet of the model, GFLOP/s; null without one. */
  sheetPeak: number | null;
}) {
  const roofs = deviceRoofs(surveys, best);
  if (roofs.length === 0) {
    return (
      <Empty title={isCpu ? 'No peak rates' : 'No peak rates measured yet'}>
        <p>
          {isCpu
            ? 'No probe measures a host CPU.'
            : 'A worker measures copies and multiply-adds when it attaches, a software adapter’s once it is idle; no worker of this device has yet, and the imported results bring none.'}
          {sheetPeak !== null && ` The data sheet says ${formatRate(sheetPeak)} GFLOP/s in f32.`}
        </p>
      </Empty>
    );
  }
  return (
    <div className="space-y-4">
      {roofs.map((roof) => {
        const survey = surveys.find(({ profile }) => profile === roof.profile);
        return (
          <Panel key={roof.profile}>
            <div className="grid grid-cols-[minmax(0,1fr)] has-[>:nth-child(2)]:lg:grid-cols-2 [&>*+*]:border-line max-lg:[&>*+*]:border-t lg:[&>*+*]:border-l">
              <RooflinePlot
                roof={roof}
                points={best.filter(({ profile }) => profile === roof.profile).flatMap(pointOf)}
                device={device}
              />
              {survey && <BandwidthPlot survey={survey} />}
            </div>
            <p className="border-t border-line px-4 py-2 text-xs text-muted">
              {survey ? (
                <>
                  Measured by {survey.worker.name}, <Moment date={survey.measuredAt} />
                </>
              ) : (
                <>
                  Peaks from results
                  {roof.peaks.length === 0 &&
                    roof.gigabytesPerSecond !== null &&
                    `: ${formatRate(roof.gigabytesPerSecond)} GB/s copied, multiply-adds unknown`}
                  . No worker has surveyed this device here yet, so bandwidth by working set is
                  unknown.
                </>
              )}
            </p>
          </Panel>
        );
      })}
    </div>
  );
}

/** Nothing for an op without arithmetic. */
export function pointOf({
  address,
  problem,
  rate,
  resultId,
}: Pick<RunResult, 'address' | 'problem' | 'rate' | 'resultId'>): RooflinePoint[] {
  const flopPerByte = arithmeticIntensity(problem);
  if (!rate || flopPerByte === 0) return [];
  return [
    {
      label: `${address}, ${formatShape(shapeText(problem))} ${problem.dtype}`,
      series: problem.dtype,
      flopPerByte,
      rate: rate.value,
      href: resultId && `/results/${resultId}`,
    },
  ];
}
