/** Kernels: their ladder, tunables, specialised source and tiles, and their results by device. */
import { addressParts, kernelParts, shortAddress, type TunableValues } from '@tilemark/kernels';
import { Fragment } from 'react';
import { Link } from '@/ui/link';

/**
 * A variant's canonical address, `matmul/tiled[TILE=16,...]`, with the kernel emphasised, the
 * names of tunables muted, and line breaks only between tunables.
 */
export function Address({ of, isLink = false }: { of: string; isLink?: boolean }) {
  const { kernel, settings } = addressParts(of);
  return (
    <span className="font-mono text-[0.78125rem]">
      <span
        className={`font-medium ${isLink ? 'underline decoration-line-strong underline-offset-3 group-hover:decoration-accent' : ''}`}
      >
        <KernelId of={kernel} />
      </span>
      {settings.length > 0 && (
        <span className="text-[0.71875rem] text-muted">
          [
          {settings.map(([name, value], index) => (
            <Fragment key={name}>
              {index > 0 && (
                <>
                  ,<wbr />
                </>
              )}
              <span className="whitespace-nowrap">
                {name}=<span className="text-ink">{value}</span>
              </span>
            </Fragment>
          ))}
          ]
        </span>
      )}
    </span>
  );
}

/** A kernel of ours in one line; one with an author and a version breaks before these. */
function KernelId({ of }: { of: string }) {
  const { name, owner, version } = kernelParts(of);
  if (version === null) return <span className="whitespace-nowrap">{of}</span>;
  return (
    <>
      {owner}/<wbr />
      {name}
      <wbr />@{version}
    </>
  );
}

/**
 * A variant in a table: its address without tunables at their defaults, linked to its result
 * if there is one. The full address is its accessible name and title.
 */
export function VariantLink({
  address,
  resultId,
  varied,
}: {
  address: string;
  resultId: string | null;
  /** Tunables that the table is about: named at their defaults too. */
  varied?: ReadonlySet<string> | undefined;
}) {
  const short = <Address of={shortAddress(address, varied)} isLink={resultId !== null} />;
  if (resultId === null) return <span title={address}>{short}</span>;
  return (
    <Link
      href={`/results/${resultId}`}
      // Many rows, many pages: fetched on demand.
      title={address}
      aria-label={address}
      className="group hover:text-accent"
    >
      {short}
    </Link>
  );
}

/** The page of a kernel, specialised for tunables and a dtype if given. Ids contain a slash: `matmul/tiled`. */
export function kernelHref(id: string, tunables: TunableValues = {}, dtype?: string): string {
  const query = new URLSearchParams(
    Object.entries(tunables).map(([name, value]) => [name, String(value)]),
  );
  if (dtype) query.set('dtype', dtype);
  const text = query.toString();
  return `/kernels/${id}${text && `?${text}`}`;
}
