import Link from 'next/link';
import { Address } from '@/ui/address';
import { shortAddress } from '../kernels/short-address';

/**
 * A variant in a table: its address without what is at its default, leading to
 * its result where there is one. The whole address is its name and its title.
 */
export function VariantLink({ address, resultId }: { address: string; resultId: string | null }) {
  const short = <Address of={shortAddress(address)} isLink={resultId !== null} />;
  if (resultId === null) return <span title={address}>{short}</span>;
  return (
    <Link
      href={`/results/${resultId}`}
      // Many rows lead to as many pages: fetched when asked for.
      prefetch={false}
      title={address}
      aria-label={address}
      className="group hover:text-accent"
    >
      {short}
    </Link>
  );
}
