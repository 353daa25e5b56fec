import Link from 'next/link';
import { Address } from '@/ui/address';

/** A variant's address, leading to its result where there is one. */
export function VariantLink({ address, resultId }: { address: string; resultId: string | null }) {
  if (resultId === null) return <Address of={address} />;
  return (
    // Many rows lead to as many pages: fetched when asked for.
    <Link href={`/results/${resultId}`} prefetch={false} className="group hover:text-accent">
      <Address of={address} isLink />
    </Link>
  );
}
