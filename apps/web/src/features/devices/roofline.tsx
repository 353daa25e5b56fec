import {
  COMPARABLE_SINCE,
  type Evidence,
  type RooflineRecord,
  type RunResult,
} from '@tilemark/core';
import { arithmeticIntensity, shapeText } from '@tilemark/kernels';
import { Moment } from '@/ui/facts';
import { formatRate, formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { deviceRoofs, peakOver } from './roof';
import { RooflinePlot, type RooflinePoint } from './roofline-plot';

/** The device's peak rates by profile, and how close its best results come. */
export function Roofline({
  surveys,
  best,
  device,
  isCpu,
  sheetPeak,
  evidence,
}: {
  surveys: readonly RooflineRecord[];
  best: readonly RunResult[];
  device: string;
  isCpu: boolean;
  /** In f32 by the data sheet of the model, GFLOP/s; null without one. */
  sheetPeak: number | null;
  /** That ships for the model. */
  evidence: readonly Evidence[];
}) {
  const roofs = deviceRoofs(surveys, best);
  if (roofs.length === 0) {
    return (
      <Empty title={isCpu ? 'No peak rates' : 'No peak rates measured here yet'}>
        <p>
          {isCpu
            ? 'No probe measures a host CPU.'
            : `A worker measures copies and multiply-adds when it attaches, a software adapter’s once it is idle; no worker of this device has yet, and ${resultsBring(best)}.`}
          {shippedPeak(evidence)}
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
            <RooflinePlot
              roof={roof}
              points={best.filter(({ profile }) => profile === roof.profile).flatMap(pointOf)}
              device={device}
            />
            <p className="border-t border-line px-4 py-2 text-xs text-muted">
              {survey ? (
                <>
                  Measured by {survey.worker.name}, <Moment date={survey.measuredAt} />
                </>
              ) : (
                <>
                  Peaks of profile {roof.profile}, from results
                  {roof.peaks.length === 0 &&
                    roof.gigabytesPerSecond !== null &&
                    `: ${formatRate(roof.gigabytesPerSecond)} GB/s copied, multiply-adds unknown`}
                  .
                </>
              )}
            </p>
          </Panel>
        );
      })}
    </div>
  );
}

/** What the results of a device without peaks say of them. */
function resultsBring(best: readonly RunResult[]): string {
  const earlier = best.some(
    ({ outcome }) =>
      outcome?.kind === 'measured' && outcome.measurement.methodologyVersion < COMPARABLE_SINCE,
  );
  return earlier
    ? 'those of its imported results are not taken over: methodology 1 could probe an idle device'
    : 'its results bring none';
}

/** What Tilemark itself has measured on such a device. */
function shippedPeak(evidence: readonly Evidence[]): string {
  const found = evidence.find(({ dtype, roofline }) => dtype === 'f32' && roofline);
  const [peak] = found?.roofline?.peaks.filter(({ dtype }) => dtype === 'f32') ?? [];
  if (!found || !peak) return '';
  return ` The survey that ships with Tilemark found ${formatRate(peak.gigaflopsPerSecond)} GFLOP/s in f32 on such a device, under profile ${found.profile}.`;
}

/** Nothing for an op without arithmetic. */
export function pointOf({
  address,
  problem,
  rate,
  resultId,
  variant,
}: Pick<RunResult, 'address' | 'problem' | 'rate' | 'resultId' | 'variant'>): RooflinePoint[] {
  const flopPerByte = arithmeticIntensity(problem);
  if (!rate || flopPerByte === 0) return [];
  return [
    {
      label: `${address}, ${formatShape(shapeText(problem))} ${problem.dtype}`,
      series: problem.dtype,
      flopPerByte,
      rate: rate.value,
      peak: peakOver({ problem, variant }),
      href: resultId && `/results/${resultId}`,
    },
  ];
}
