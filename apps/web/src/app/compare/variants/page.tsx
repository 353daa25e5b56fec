import { InputError, parseVariant } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { z } from 'zod';
import { PairForm } from '@/features/compare/pair-form';
import { PairTable } from '@/features/compare/pair-table';
import { CompareTabs } from '@/features/compare/tabs';
import { readable } from '@/server/visitor';
import { Input } from '@/ui/field';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { Refused } from '@/ui/refused';

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
      if (!(error instanceof InputError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  })
  .optional();
const EXAMPLES = { a: 'matmul/naive', b: 'matmul/tiled[TILE=16]' };
const querySchema = z.object({ a: address, b: address });

export default async function CompareVariantsPage({
  searchParams,
}: {
  searchParams: SearchParams;
}) {
  const { store } = await readable();
  const { query, refused } = parseQuery(querySchema, await searchParams);

  return (
    <>
      <PageHeader title="Compare">
        Two variants wherever a device measured both on the same problem, under the same profile.
      </PageHeader>
      <CompareTabs here="/compare/variants" />
      <Refused reasons={refused} reset="/compare/variants" />
      <PairForm
        of="Variant"
        control={(side, id) => (
          <Input
            id={id}
            name={side}
            defaultValue={query[side]}
            key={query[side]}
            required
            autoComplete="off"
            spellCheck={false}
            placeholder={EXAMPLES[side]}
            className="font-mono"
          />
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
