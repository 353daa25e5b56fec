/** One answer in full: the variant to run, what it needs, and its shader. */
import { type BestVariant, splitText } from '@tilemark/core';
import { shortAddress } from '@tilemark/kernels';
import { Address, kernelHref } from '@/features/kernels/address';
import { needsFacts } from '@/features/kernels/needs';
import { CommandText, CopyButton } from '@/ui/action';
import { type Fold, WgslCode } from '@/ui/code';
import { type Fact, Facts, Moment } from '@/ui/facts';
import { formatNs, plural } from '@/ui/format';
import { Panel, Section } from '@/ui/page';

/** Beyond what the table says. */
function facts({ excluded, limits, needs, others, passes, quote, split }: BestVariant): Fact[] {
  const [runnerUp] = others;
  return [
    ...(needs && limits ? needsFacts(needs, limits) : []),
    ...(split ? [{ name: 'With smaller buffers', value: splitText(split) }] : []),
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
    ...(quote ? [{ name: 'Measured', value: <Moment date={quote.measuredAt} /> }] : []),
    ...(quote?.command ? [{ name: 'Found by', value: <CommandText text={quote.command} /> }] : []),
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
    ...excluded.slice(0, 3).map(({ reason, variants }) => ({
      name: 'Cannot run here',
      value: `${plural(variants, 'variant')}: ${reason}`,
    })),
  ];
}

export function Answer({ best, fold }: { best: BestVariant; fold: Fold }) {
  const { address, problem, variant, wgsl } = best;
  return (
    <>
      <Section id="variant" title="Variant">
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
              from={`/api/v1${kernelHref(variant.kernel, variant.tunables, problem.dtype)}`}
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
