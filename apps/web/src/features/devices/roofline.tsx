import type { RooflineRecord, RunResult } from '@tilemark/core';
import { arithmeticIntensity, shapeText } from '@tilemark/kernels';
import { Moment } from '@/ui/facts';
import { formatShape } from '@/ui/format';
import { Panel, Section } from '@/ui/page';
import { type DeviceRoof, peakOver } from './roof';
import { RooflinePlot, type RooflinePoint } from './roofline-plot';

type Placed = Pick<RunResult, 'address' | 'problem' | 'rate' | 'resultId' | 'variant'>;

/** The device's peak rates by profile, and how close its best results come; nothing without either. */
export function Roofline({
  roofs,
  surveys,
  best,
  device,
}: {
  roofs: readonly DeviceRoof[];
  surveys: readonly RooflineRecord[];
  best: readonly (Placed & Pick<RunResult, 'profile'>)[];
  device: string;
}) {
  const drawn = roofs.flatMap((roof) => {
    const points = best.filter(({ profile }) => profile === roof.profile).flatMap(pointOf);
    return roof.peaks.length > 0 && points.length > 0 ? [{ roof, points }] : [];
  });
  if (drawn.length === 0) return null;
  return (
    <Section title="Roofline" id="roofline">
      <div className="space-y-4">
        {drawn.map(({ points, roof }) => {
          const survey = surveys.find(({ profile }) => profile === roof.profile);
          return (
            <Panel key={roof.profile}>
              <RooflinePlot roof={roof} points={points} device={device} />
              <p className="border-t border-line px-4 py-2 text-xs text-muted">
                {survey ? (
                  <>
                    Peaks measured by {survey.worker.name}, <Moment date={survey.measuredAt} />
                  </>
                ) : (
                  'Peaks from results'
                )}
              </p>
            </Panel>
          );
        })}
      </div>
    </Section>
  );
}

/** Nothing for an op without arithmetic. */
export function pointOf({ address, problem, rate, resultId, variant }: Placed): RooflinePoint[] {
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
