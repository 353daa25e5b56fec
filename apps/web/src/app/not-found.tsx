import type { Metadata } from 'next';
import { ButtonLink } from '@/ui/button';
import { StatusPage } from '@/ui/page';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <StatusPage code="404" title="Page not found">
      <p>The address may be mistyped, or belong to another grid.</p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href="/" look="primary">
          Leaderboard
        </ButtonLink>
        <ButtonLink href="/sweeps">Sweeps</ButtonLink>
        <ButtonLink href="/kernels">Kernels</ButtonLink>
      </div>
    </StatusPage>
  );
}
