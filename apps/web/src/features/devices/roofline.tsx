import type { RooflineRecord, RunResult } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { Moment } from '@/ui/moment';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { arithmeticIntensity } from '../results/roof';
import { BandwidthPlot } from './bandwidth-plot';
import { deviceRoofs } from './device-roof';
import { RooflinePlot, type RooflinePoint } from './roofline-plot';

/** What the device can do at most, by profile, and how near its best results come. */
export function Roofline({
  surveys,
  best,
  device,
}: {
  surveys: readonly RooflineRecord[];
  best: readonly RunResult[];
  device: string;
}) {
  const roofs = deviceRoofs(surveys, best);
  if (roofs.length === 0) {
    return (
      <Empty title="No roof has been measured">
        <p>
          A worker probes copies and multiply-adds when it attaches; results that were brought in a
          file carry the roof they were held against. The host CPU has no probes.
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
                'No worker has surveyed this device here: the roof is what its results carry, and there is no bandwidth by working set.'
              )}
            </p>
          </Panel>
        );
      })}
    </div>
  );
}

/** Nothing for a transpose: it does no arithmetic. */
function pointOf({ address, problem, rate }: RunResult): RooflinePoint[] {
  const flopPerByte = arithmeticIntensity(problem);
  if (!rate || flopPerByte === 0) return [];
  return [
    {
      label: `${address}, ${shapeText(problem)} ${problem.dtype}`,
      series: problem.dtype,
      flopPerByte,
      rate: rate.value,
    },
  ];
}
