/** What is said beside a figure of a board. */
import { type LeaderboardRow, provenNs } from '@tilemark/core';
import { kernelHref, VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatNs } from '@/ui/format';

/** Why a row with a wide interval stands where it does, and what stands behind it for such a one. */
export function RankNote({ of }: { of: LeaderboardRow }) {
  return (
    <>
      <WideInterval of={of} />
      <ShorterMedian of={of.shorterMedian} />
    </>
  );
}

/** What a result with a wide interval is placed by; nothing for another. */
export function WideInterval({ of }: { of: Parameters<typeof provenNs>[0] }) {
  if (provenNs(of) === of.medianNs) return null;
  return (
    <p className="max-w-72 font-normal text-xs text-muted">
      Compared by the slow end of its wide interval, {formatNs(of.highNs)}
    </p>
  );
}

/** The variant of a device that would be its best, were its median known better. */
export function ShorterMedian({ of }: { of: LeaderboardRow['shorterMedian'] }) {
  if (!of) return null;
  return (
    <p className="font-normal text-xs text-muted in-[table]:max-w-72">
      Shorter median, not proven: <VariantLink address={of.address} resultId={of.resultId} />,{' '}
      {formatNs(of.medianNs)}
    </p>
  );
}

/** Whose the kernel is, unless it is ours, and the way to its page. */
export function Author({ of: { author, variant } }: { of: LeaderboardRow }) {
  if (!author) return null;
  return (
    <TextLink href={kernelHref(variant.kernel)} className="text-xs">
      by {author}
    </TextLink>
  );
}
