import type { BestVariant } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/href';
import { Address } from '@/ui/address';
import { TextLink } from '@/ui/button';
import { WgslCode } from '@/ui/code';
import { CopyButton } from '@/ui/copy';
import { type Fact, Facts } from '@/ui/facts';
import { formatBytes, formatNs, formatPercent, formatRate } from '@/ui/format';
import { Moment } from '@/ui/moment';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { howFound } from './how-found';

/** What the variant rests on: results of this grid, or what the release ships. */
function evidence({ devices, isSourceMeasured, partOfBest, result, shipped }: BestVariant): Fact[] {
  if (shipped) {
    return [
      { name: 'Measured on', value: `${shipped.device}, ${shipped.driver}` },
      {
        name: 'Rate there',
        value: `${formatRate(shipped.rate.value)} ${shipped.rate.unit}, ${formatNs(shipped.medianNs)}`,
      },
      { name: 'Measured', value: <Moment date={shipped.measuredAt} /> },
      {
        name: 'Found',
        value: shipped.found.by === 'tuner' ? shipped.found.command : shipped.found.note,
      },
    ];
  }
  if (!result || partOfBest === null) return [];
  return [
    {
      name: 'Speed beside the fastest',
      about: `100 % is the fastest of all variants measured there${devices === 1 ? '' : '; geometric mean over the devices'}`,
      value: formatPercent(partOfBest),
    },
    { name: 'Measured on', value: <DeviceName device={result.device} /> },
    {
      name: 'Rate there',
      value: (
        <TextLink href={`/results/${result.id}`}>
          {formatRate(result.rate.value)} {result.rate.unit}, {formatNs(result.medianNs)}
        </TextLink>
      ),
    },
    { name: 'Measured', value: <Moment date={result.measuredAt} /> },
    {
      name: 'Shader',
      about: 'Whether the WGSL below is the text that was timed',
      value: timedText(isSourceMeasured),
    },
  ];
}

function timedText(isSourceMeasured: BestVariant['isSourceMeasured']): string {
  if (isSourceMeasured === null) return 'not known: it came in a file, without its shader';
  return isSourceMeasured
    ? 'the one below was timed'
    : 'a release since has changed it: its time may differ';
}

/** The variant to run, what it rests on, and its shader. */
export function BestAnswer({ best }: { best: BestVariant }) {
  const { asked, address, measured, needs, passes, variant, wgsl } = best;
  return (
    <>
      <Section
        id="variant"
        title={`For ${asked.op} ${shapeText(asked)} ${asked.dtype}`}
        note={`profile ${best.profile}`}
      >
        <div className="mb-3">
          <Notice tone={best.fallback === 'overall' || !best.isExact ? 'amber' : 'neutral'}>
            {howFound(best)}
          </Notice>
        </div>
        <Panel>
          <div className="border-b border-line px-4 py-3">
            <TextLink href={kernelHref(variant.kernel)} aria-label={`Kernel ${variant.kernel}`}>
              <Address of={address} />
            </TextLink>
          </div>
          <Facts
            columns={2}
            facts={[
              { name: 'Measured shape', value: shapeText(measured) },
              ...evidence(best),
              ...(needs
                ? [
                    { name: 'Workgroup size', value: needs.workgroupSize.join(' × ') },
                    { name: 'Workgroup memory', value: formatBytes(needs.workgroupBytes) },
                    { name: 'Features', value: needs.features.join(', ') || 'none' },
                  ]
                : []),
              ...(passes.length > 0
                ? [
                    {
                      name: 'Dispatches',
                      value: passes
                        .map(
                          ({ entryPoint, workgroups }) =>
                            `${entryPoint} ${workgroups.join(' × ')} workgroups`,
                        )
                        .join(', then '),
                    },
                  ]
                : []),
            ]}
          />
        </Panel>
      </Section>
      {wgsl !== null && (
        <Section
          id="wgsl"
          title="WGSL"
          note="as this release writes it for these tunables"
          actions={<CopyButton text={wgsl} label="the WGSL" />}
        >
          <WgslCode source={wgsl} label={`WGSL of ${address}`} />
        </Section>
      )}
    </>
  );
}
