/** One answer in full: the variant to run, what it needs, and its shader. */
import type { BestVariant } from '@tilemark/core';
import { shortAddress } from '@tilemark/kernels';
import { Address, kernelHref, VariantLink } from '@/features/kernels/address';
import { needsFacts } from '@/features/kernels/needs';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { CommandText, CopyButton } from '@/ui/action';
import { type Fold, WgslCode } from '@/ui/code';
import { type Fact, Facts, Moment } from '@/ui/facts';
import { formatNs, ratioText } from '@/ui/format';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';

/** Beyond what the table says. */
function facts({
  duel,
  needs,
  passes,
  prediction,
  shipped,
  shorterMedian,
  isSourceMeasured,
}: BestVariant): Fact[] {
  const [runnerUp] = prediction?.runnersUp ?? [];
  const measuredAt = prediction?.measuredAt ?? shipped?.measuredAt;
  return [
    ...(needs ? needsFacts(needs) : []),
    ...(passes.length > 0
      ? [
          {
            name: 'Dispatches',
            value: passes
              .map(({ entryPoint, workgroups }) => `${entryPoint} ${workgroups.join(' × ')}`)
              .join(', then '),
          },
        ]
      : []),
    ...(measuredAt ? [{ name: 'Measured', value: <Moment date={measuredAt} /> }] : []),
    ...(shipped?.found.by === 'tuner'
      ? [{ name: 'Found by', value: <CommandText text={shipped.found.command} /> }]
      : []),
    ...(runnerUp
      ? [
          {
            name: 'Runner-up',
            value: (
              <span title={runnerUp.address}>
                {formatNs(runnerUp.ns)} <Address of={shortAddress(runnerUp.address)} />
              </span>
            ),
          },
        ]
      : []),
    ...(duel
      ? [{ name: 'Decided by a duel', value: `${ratioText(duel)} the speed of ${duel.against}` }]
      : []),
    ...(shorterMedian
      ? [
          {
            name: 'Shorter median, not proven',
            value: (
              <>
                <VariantLink {...shorterMedian} />: {formatNs(shorterMedian.medianNs)}
              </>
            ),
          },
        ]
      : []),
    ...(isSourceMeasured === false
      ? [{ name: 'Shader', value: 'an earlier version was timed' }]
      : []),
  ];
}

export function Answer({ best, fold }: { best: BestVariant; fold: Fold }) {
  const { address, asked, variant, wgsl } = best;
  return (
    <>
      <Section id="variant" title="Variant">
        {best.unconfirmed && (
          <Notice tone="amber" className="mb-3">
            <UnconfirmedMark />
          </Notice>
        )}
        <Panel>
          <Facts columns={2} facts={facts(best)} />
        </Panel>
      </Section>
      {wgsl !== null && (
        <Section
          id="wgsl"
          title="WGSL"
          actions={
            <CopyButton
              from={`/api/v1${kernelHref(variant.kernel, variant.tunables, asked.dtype)}`}
              label="the WGSL"
            />
          }
        >
          <WgslCode source={wgsl} label={`WGSL of ${address}`} fold={fold} />
        </Section>
      )}
    </>
  );
}
