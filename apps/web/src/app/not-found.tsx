import { ButtonLink } from '@/ui/button';
import { StatusPage } from '@/ui/status-page';

export default function NotFound() {
  return (
    <StatusPage code="404" title="There is nothing at this address">
      <p>
        A sweep, result, device or kernel is shown under its own address for as long as the grid
        keeps it. This one may have been mistyped, or belongs to another grid.
      </p>
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
