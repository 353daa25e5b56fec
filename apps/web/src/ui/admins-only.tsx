import { ButtonLink } from './button';
import { StatusPage } from './status-page';

/** What others see of a page for admins. */
export function AdminsOnly() {
  return (
    <StatusPage code="403" title="This page is for admins">
      <p>
        You are logged in with a token of another role. Log out, and in again with an admin token.
      </p>
      <ButtonLink href="/">Leaderboard</ButtonLink>
    </StatusPage>
  );
}
