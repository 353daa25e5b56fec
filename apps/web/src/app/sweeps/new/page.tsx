import type { Device } from '@tilemark/core';
import type { Metadata } from 'next';
import { prefilled, prefillSchema } from '@/features/sweeps/new/form';
import { formOfSweep } from '@/features/sweeps/new/from-sweep';
import { NewSweepForm } from '@/features/sweeps/new/sweep-form';
import { firstItems } from '@/server/lists';
import { readable, visitor } from '@/server/session/visitor';
import { Refused } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'New sweep' };

export default async function NewSweepPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const params = await searchParams;
  const { query, refused } = parseQuery(prefillSchema, params);
  const extra = (name: string) => {
    const value = params[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const [devices, user, sweep] = await Promise.all([
    firstItems(store.devices.list),
    visitor(),
    query.sweep ? store.sweeps.get(query.sweep) : null,
  ]);
  const runSeconds = await store.devices.runSeconds(foremost(devices, query.device));
  const maySubmit = user?.role === 'member' || user?.role === 'admin';
  const blank = prefilled(query, extra);
  const copy = sweep ? formOfSweep(sweep, blank) : { form: blank, refused: [] };
  const missing = query.sweep && !sweep ? ['The sweep to copy does not exist.'] : [];
  const initial = copy.form;

  return (
    <>
      <PageHeader title="New sweep">
        Kernels × tunables × shapes × element types × devices. Every run is verified before and
        after timing.
      </PageHeader>
      <Refused reasons={[...refused, ...missing]} reset="/sweeps/new" />
      <Refused
        reasons={copy.refused}
        reset="/sweeps/new"
        title="This copy leaves out"
        instead="The form has the rest, or defaults if nothing is left."
      />
      <NewSweepForm
        // A new address means a new form.
        key={JSON.stringify(initial)}
        initial={initial}
        devices={devices}
        runSeconds={runSeconds}
        maySubmit={maySubmit}
      />
    </>
  );
}

/** The number of devices, likeliest first, whose past results are read to estimate durations. */
const MAX_ESTIMATED = 20;

const foremost = (devices: readonly Device[], asked: string | undefined): string[] =>
  devices
    .toSorted(
      (a, b) =>
        Number(b.key === asked) - Number(a.key === asked) ||
        Number(b.workers > 0) - Number(a.workers > 0),
    )
    .slice(0, MAX_ESTIMATED)
    .map(({ key }) => key);
