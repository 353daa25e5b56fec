import { KERNELS, kernelsOf } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { kernelHref } from '@/features/kernels/href';
import { specialisation } from '@/features/kernels/specialisation';
import { TunableForm } from '@/features/kernels/tunable-form';
import { TunablesTable } from '@/features/kernels/tunables-table';
import { Wins } from '@/features/kernels/wins';
import { winsOf } from '@/features/kernels/wins-of';
import { readable } from '@/server/visitor';
import { Address } from '@/ui/address';
import { ButtonLink, TextLink } from '@/ui/button';
import { WgslCode } from '@/ui/code';
import { Facts } from '@/ui/facts';
import { formatBytes } from '@/ui/format';
import { Notice } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import type { SearchParams } from '@/ui/query';
import { Refused } from '@/ui/refused';

type Props = { params: Promise<{ id: string[] }>; searchParams: SearchParams };

const kernelOf = async (params: Props['params']) => {
  const id = (await params).id.join('/');
  return KERNELS.find((kernel) => kernel.id === id) ?? notFound();
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await kernelOf(params)).id };
}

export default async function KernelPage({ params, searchParams }: Props) {
  const { store } = await readable();
  const kernel = await kernelOf(params);
  const wins = await winsOf(store, kernel.id);
  const { detail, refused } = specialisation(kernel, await searchParams);
  const ladder = kernelsOf(kernel.op).filter((each) => each.runsOn === kernel.runsOn);
  const before = ladder[ladder.indexOf(kernel) - 1];
  const after = ladder[ladder.indexOf(kernel) + 1];
  const sweep = new URLSearchParams({
    kernel: kernel.id,
    dtype: detail.dtype,
    ...Object.fromEntries(
      Object.entries(detail.chosen).map(([name, value]) => [name, String(value)]),
    ),
  });

  return (
    <>
      <PageHeader
        above={
          <>
            <TextLink href="/kernels">Kernels</TextLink> / {kernel.op}
          </>
        }
        title={<code className="text-xl">{kernel.id}</code>}
        actions={<ButtonLink href={`/sweeps/new?${sweep}`}>Sweep this variant</ButtonLink>}
      >
        {kernel.idea}
      </PageHeader>
      <Refused reasons={refused} reset={kernelHref(kernel.id)} />
      {detail.tunables.length > 0 && (
        <Section id="tunables" title="Tunables">
          <TunablesTable kernel={detail} />
        </Section>
      )}
      <Section id="variant" title="Variant">
        <TunableForm kernel={detail} />
        {detail.broken.length > 0 && (
          <div className="mt-3">
            <Notice tone="amber">
              A run of this combination ends skipped: {detail.broken.join('; ')}.
            </Notice>
          </div>
        )}
        <Panel className="mt-3">
          <Facts
            facts={[
              {
                name: 'Address',
                value: <Address of={detail.address} />,
              },
              ...(detail.needs
                ? [
                    { name: 'Workgroup size', value: detail.needs.workgroupSize.join(' × ') },
                    { name: 'Workgroup memory', value: formatBytes(detail.needs.workgroupBytes) },
                    { name: 'Features', value: detail.needs.features.join(', ') || 'none' },
                  ]
                : kernel.runsOn === 'cpu'
                  ? [{ name: 'Runs on', value: 'the host CPU' }]
                  : []),
            ]}
          />
        </Panel>
      </Section>
      {detail.wgsl !== null && (
        <Section id="wgsl" title="WGSL" note="as it is handed to the compiler">
          <WgslCode source={detail.wgsl} label={`WGSL of ${detail.address}`} />
        </Section>
      )}
      <Section
        id="wins"
        title="Where it wins"
        note="problems on which a variant of this kernel is the fastest of its device"
      >
        <Wins wins={wins} kernel={kernel.id} />
      </Section>
      <nav aria-label="Ladder" className="mt-8 flex flex-wrap justify-between gap-3">
        <span>{before && <ButtonLink href={kernelHref(before.id)}>← {before.id}</ButtonLink>}</span>
        <span>{after && <ButtonLink href={kernelHref(after.id)}>{after.id} →</ButtonLink>}</span>
      </nav>
    </>
  );
}
