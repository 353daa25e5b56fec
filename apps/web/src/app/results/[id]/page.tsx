import { duelView } from '@tilemark/core';
import { isContributed, particularsText, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { Address, kernelHref } from '@/features/kernels/address';
import { Confirmation } from '@/features/results/confirmation';
import { DuelResult } from '@/features/results/duel';
import {
  cacheText,
  EnvironmentFacts,
  Statistics,
  VerificationTable,
} from '@/features/results/measurement';
import { Headline, ImportedBadge, OutcomeBadge } from '@/features/results/outcome';
import { Samples } from '@/features/results/samples';
import { originOf } from '@/server/session/origin';
import { readable, visitor } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { ButtonAnchor, TextLink } from '@/ui/button';
import { WgslCode } from '@/ui/code';
import { Facts, Moment } from '@/ui/facts';
import { formatShape, rateText } from '@/ui/format';
import { PageHeader, Panel, Section } from '@/ui/page';

type Props = { params: Promise<{ id: string }> };

const load = cache(async (id: string) => {
  const { store } = await readable();
  return (await store.results.get(id)) ?? notFound();
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { address, device, imported, outcome, problem, profile, rate, variant } = await load(
    (await params).id,
  );
  const found = rate ? rateText(rate) : (outcome?.kind ?? 'pending');
  const origin = imported ? 'measured elsewhere and imported' : 'verified before and after timing';
  return {
    title: address,
    description: `${variant.kernel} ${formatShape(shapeText(problem))} ${problem.dtype} on ${device.name}, profile ${profile}: ${found}${rate ? `, ${origin}` : ''}.`,
  };
}

export default async function ResultPage({ params }: Props) {
  const { store } = await readable();
  const { id } = await params;
  const result = await load(id);
  const isAdmin = (await visitor())?.role === 'admin';
  const { outcome, problem, sweep, variant } = result;
  const measurement = outcome?.kind === 'measured' ? outcome.measurement : null;
  const duel = measurement && duelView(measurement);
  const isKept = !isContributed(variant.kernel) || (await store.contributed.get(variant.kernel));
  const origin = originOf(await headers());

  return (
    <>
      <PageHeader
        above={<TextLink href={`/sweeps/${sweep.id}`}>{sweep.name}</TextLink>}
        title={
          <span className="font-normal [&>span]:text-lg [&>span]:leading-6">
            <Address of={result.address} />
          </span>
        }
        actions={<ButtonAnchor href={`/api/v1/results/${result.resultId}`}>JSON</ButtonAnchor>}
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
              {
                name: 'Problem',
                value: `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}${particularsText(problem)}`,
              },
              { name: 'Profile', value: result.profile },
              {
                name: 'Kernel',
                value: (
                  <TextLink href={kernelHref(variant.kernel, variant.tunables, problem.dtype)}>
                    <code>{variant.kernel}</code>
                  </TextLink>
                ),
              },
              ...(measurement
                ? [
                    {
                      name: 'Decides',
                      value: <Confirmation result={result} mayConfirm={isAdmin} />,
                    },
                  ]
                : []),
              result.imported
                ? { name: 'Imported by', value: result.imported.by }
                : { name: 'Worker', value: result.worker.name },
              { name: 'Policy', value: result.policy },
              { name: 'Recorded', value: <Moment date={result.createdAt} /> },
            ]}
          />
        </Panel>
      </Section>
      {measurement && (
        <>
          <Section
            id="samples"
            title="Samples"
            note={`time per dispatch, ${cacheText(measurement.bufferSets)}`}
          >
            <Panel>
              <Samples of={measurement.cold} />
            </Panel>
          </Section>
          {duel && (
            <Section id="duel" title="Duel" note="in turns with another variant">
              <DuelResult of={duel} />
            </Section>
          )}
          <Section id="statistics" title="Statistics">
            <Statistics problem={problem} measurement={measurement} />
          </Section>
          <Section id="verification" title="Verification" note="100% is the largest error allowed">
            <VerificationTable measurement={measurement} />
          </Section>
        </>
      )}
      {isKept && (
        <Section
          id="reproduce"
          title="Reproduce"
          note="measures it on your machine and compares the two"
        >
          <Command
            label="the command that measures and compares it"
            text={`npx -y ${origin}/worker.tgz rerun ${result.resultId} --server ${origin}`}
          />
        </Section>
      )}
      <Section id="environment" title="Environment" isFolded>
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
