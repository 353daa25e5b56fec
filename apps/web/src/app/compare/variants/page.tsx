import { isInputError, parseVariant } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { z } from 'zod';
import { CompareTabs, PairForm, VariantSelect } from '@/features/compare/choice';
import { PairTable } from '@/features/compare/pair-table';
import { readable } from '@/server/session/visitor';
import { Refused } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Compare variants' };

/** An address, whole or without its defaults, as the canonical one. */
const address = z
  .string()
  .trim()
  .max(400)
  .transform((text, context) => {
    try {
      return parseVariant(text).address;
    } catch (error) {
      if (!isInputError(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  })
  .optional();
const querySchema = z.object({ a: address, b: address });

export default async function CompareVariantsPage({
  searchParams,
}: {
  searchParams: SearchParams;
}) {
  const { store } = await readable();
  const given = await searchParams;
  const { query, refused } = parseQuery(querySchema, given);
  // What was refused stays in its control.
  const typed = (side: 'a' | 'b') => query[side] ?? [given[side]].flat()[0]?.slice(0, 400);
  const choices = await store.measuredVariants();

  return (
    <>
      <PageHeader title="Compare">
        Two variants, on every device, problem and profile for which both were measured. A
        difference within ±0.5% counts as the same; if the 95% interval leaves it open, or a side
        has too few samples for one, it is undecided.
      </PageHeader>
      <CompareTabs here="/compare/variants" />
      <Refused
        reasons={refused}
        reset="/compare/variants"
        title="This comparison is incomplete"
        instead="Choose variants below."
      />
      <PairForm
        of="Variant"
        control={(side, id) => (
          <VariantSelect id={id} name={side} value={typed(side)} choices={choices} />
        )}
      />
      {query.a && query.b && (
        <PairTable
          of="variants"
          pairs={await store.headToHead({ of: 'variants', a: query.a, b: query.b })}
        />
      )}
    </>
  );
}
