import type { Result } from '@tilemark/core';
import { arithmeticIntensity, shapeText } from '@tilemark/kernels';
import { formatShape } from '@/ui/format';
import { Panel, Section } from '@/ui/page';
import type { DeviceRoof } from './roof';
import { RooflinePlot, type RooflinePoint } from './roofline-plot';

type Placed = Pick<Result, 'address' | 'problem' | 'rate'>;

/** The device's peak rates by profile, and how close its best results come; nothing without either. */
export function Roofline({
  roofs,
  best,
  device,
}: {
  roofs: readonly DeviceRoof[];
  best: readonly (Placed & Pick<Result, 'profile'>)[];
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
        {drawn.map(({ points, roof }) => (
          <Panel key={roof.profile}>
            <RooflinePlot roof={roof} points={points} device={device} />
          </Panel>
        ))}
      </div>
    </Section>
  );
}

/** Nothing for an op without arithmetic. */
function pointOf({ address, problem, rate }: Placed): RooflinePoint[] {
  const flopPerByte = arithmeticIntensity(problem);
  if (!rate || flopPerByte === 0) return [];
  return [
    {
      label: `${address}, ${formatShape(shapeText(problem))} ${problem.dtype}`,
      series: problem.dtype,
      flopPerByte,
      rate: rate.value,
    },
  ];
}
