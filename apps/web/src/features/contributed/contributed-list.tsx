import type { ContributedKernel } from '@tilemark/core';
import { kernelHref } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import { DataTable } from '@/ui/table';
import { Listed } from './contributed-page';

/** Kernels of other people: those published, and the reader's own. */
export function ContributedList({ kernels }: { kernels: readonly ContributedKernel[] }) {
  return (
    <DataTable
      caption="Contributed kernels"
      rows={kernels}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Version',
          cell: ({ id }) => (
            <TextLink href={kernelHref(id)} prefetch={false}>
              <code>{id}</code>
            </TextLink>
          ),
        },
        { head: 'Author', cell: ({ author }) => author },
        { head: 'Operation', cell: ({ op }) => op },
        { head: 'State', cell: (each) => <Listed of={each} /> },
        { head: 'Brought', isFigure: true, cell: ({ createdAt }) => <Ago date={createdAt} /> },
      ]}
    />
  );
}
