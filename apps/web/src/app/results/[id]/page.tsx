import { shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/href';
import { EnvironmentFacts } from '@/features/results/environment-facts';
import { Headline } from '@/features/results/headline';
import { ImportedBadge } from '@/features/results/imported-badge';
import { OutcomeBadge } from '@/features/results/outcome';
import { reproduceCommand } from '@/features/results/reproduce';
import { SampleHistogram, SampleStrip } from '@/features/results/samples';
import { Statistics } from '@/features/results/statistics';
import { VerificationTable } from '@/features/results/verification';
import { originOf } from '@/server/origin';
import { readable } from '@/server/visitor';
import { Address } from '@/ui/address';
import { ButtonAnchor, ButtonLink, TextLink } from '@/ui/button';
import { WgslCode } from '@/ui/code';
import { Command } from '@/ui/copy';
import { Facts } from '@/ui/facts';
import { Moment } from '@/ui/moment';
import { PageHeader, Panel, Section } from '@/ui/page';

type Props = { params: Promise<{ id: string }> };

const load = cache(async (id: string) => {
  const { store } = await readable();
  return (await store.results.get(id)) ?? notFound();
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await load((await params).id)).address };
}

export default async function ResultPage({ params }: Props) {
  const result = await load((await params).id);
  const { outcome, problem, sweep, variant } = result;
  const measurement = outcome?.kind === 'measured' ? outcome.measurement : null;

  return (
    <>
      <PageHeader
        above={
          <>
            <TextLink href="/sweeps">Sweeps</TextLink> /{' '}
            <TextLink href={`/sweeps/${sweep.id}`}>{sweep.name}</TextLink>
          </>
        }
        title={
          <span className="font-normal [&>span]:text-lg [&>span]:leading-6">
            <Address of={result.address} />
          </span>
        }
        actions={
          <>
            {measurement && (
              <ButtonLink href={`/compare?a=${result.resultId}`}>Compare with …</ButtonLink>
            )}
            <ButtonAnchor href={`/api/v1/results/${result.resultId}`}>JSON</ButtonAnchor>
          </>
        }
      />
      <Headline result={result} />
      <Section id="run" title="Run">
        <Panel>
          <Facts
            columns={2}
            facts={[
              {
                name: 'Outcome',
                value: (
                  <>
                    <OutcomeBadge kind={outcome?.kind ?? 'pending'} />{' '}
                    <ImportedBadge of={result.imported} />
                  </>
                ),
              },
              { name: 'Device', value: <DeviceName device={result.device} /> },
              { name: 'Problem', value: `${problem.op} ${shapeText(problem)} ${problem.dtype}` },
              { name: 'Profile', value: result.profile },
              {
                name: 'Kernel',
                value: (
                  <TextLink href={kernelHref(variant.kernel, variant.tunables, problem.dtype)}>
                    <code>{variant.kernel}</code>
                  </TextLink>
                ),
              },
              { name: 'Worker', value: result.worker.name },
              { name: 'Policy', value: result.policy },
              { name: 'Recorded', value: <Moment date={result.createdAt} /> },
            ]}
          />
        </Panel>
      </Section>
      {measurement && (
        <>
          <Section id="samples" title="Samples" note="time of one dispatch, caches cold">
            <Panel className="grid md:grid-cols-[3fr_2fr] [&>*+*]:border-line max-md:[&>*+*]:border-t md:[&>*+*]:border-l">
              <SampleStrip series={measurement.cold} />
              <SampleHistogram series={measurement.cold} />
            </Panel>
          </Section>
          <Section id="statistics" title="Statistics">
            <Statistics measurement={measurement} />
          </Section>
          <Section
            id="verification"
            title="Verification"
            note="an error within its bound is at most 100 %"
          >
            <VerificationTable measurement={measurement} />
          </Section>
        </>
      )}
      <Section
        id="reproduce"
        title="Reproduce"
        note="the second asks this grid for the run and says how the numbers compare"
      >
        <div className="space-y-2">
          <Command label="the command" text={reproduceCommand(result)} />
          <Command
            label="the command that takes it from this grid"
            text={`npx tilemark rerun ${result.resultId} --server ${originOf(await headers())}`}
          />
        </div>
      </Section>
      <Section id="environment" title="Environment">
        <EnvironmentFacts environment={result.environment} />
      </Section>
      {result.wgsl !== null && (
        <Section id="wgsl" title="WGSL" note="as it ran">
          <WgslCode source={result.wgsl} label="WGSL as it ran" />
        </Section>
      )}
    </>
  );
}
