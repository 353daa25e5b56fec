import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { REFUSAL_HEADER, readRefusal } from '@/server/pages/refusal';
import { ButtonLink } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { StatusPage } from '@/ui/page';

export const metadata: Metadata = { title: 'This address cannot be shown' };

/** Shown by the proxy, with status 400, in place of a page whose address cannot be answered. */
export default async function RefusedPage() {
  const refusal = readRefusal((await headers()).get(REFUSAL_HEADER));
  if (!refusal) notFound();
  const { path, reasons } = refusal;
  const hasOwn = path !== null && path !== '/';
  return (
    <StatusPage code="400" title="This address cannot be shown">
      <Notice tone="amber" className="text-ink">
        <ul className="list-disc pl-4 wrap-anywhere">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </Notice>
      <p>
        It may have been cut off, mistyped, or written for another release. Correct it, or start
        over.
      </p>
      <div className="flex flex-wrap gap-2">
        {hasOwn && (
          <ButtonLink href={path} look="primary">
            This page without the rest
          </ButtonLink>
        )}
        <ButtonLink href="/" look={hasOwn ? 'plain' : 'primary'}>
          Leaderboard
        </ButtonLink>
      </div>
    </StatusPage>
  );
}
