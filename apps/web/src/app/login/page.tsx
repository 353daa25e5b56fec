import type { Principal } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { localPath } from '@/server/session/redirect';
import { visitor } from '@/server/session/visitor';
import { Button, ButtonLink } from '@/ui/button';
import { InputField } from '@/ui/field';
import { Failure } from '@/ui/notice';
import { PageHeader, Panel } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Log in' };

const querySchema = z.object({
  token: z.string().max(500).optional(),
  /** From a one-time login link. */
  code: z.string().max(500).optional(),
  /** The reader is to say whether the link may log in. */
  confirm: z.literal('1').optional(),
  failed: z.enum(['token', 'code', 'away']).optional(),
  /** The page to return to, see `localPath`. */
  next: z.string().max(2_000).optional(),
});

const FAILURES = {
  token: 'This token is unknown, expired or revoked.',
  code: 'This link has been used already or is more than a day old. Paste a token, or restart the grid for a new link.',
  away: 'The database is unavailable, so tokens cannot be checked. Try again soon.',
} as const;

/** Exchanges a token, from the address or the form, for a session. */
export default async function LoginPage({ searchParams }: { searchParams: SearchParams }) {
  const { query } = parseQuery(querySchema, await searchParams);
  const next = localPath(query.next);
  const user = await visitor();
  for (const means of ['code', 'token'] as const) {
    const secret = query[means];
    if (!secret) continue;
    if (query.confirm) return <ConfirmLogin {...{ means, secret, next, user }} />;
    redirect(`/login/token?${new URLSearchParams({ [means]: secret, next })}`);
  }
  const why = query.failed && FAILURES[query.failed];
  const ofField = query.failed === 'token' && !user;

  return (
    <div className="mx-auto max-w-md">
      <PageHeader title="Log in">
        Reading a public grid needs no login. Submitting sweeps requires a member or admin token.
      </PageHeader>
      <Failure why={ofField ? null : why} className="mb-4" />
      {user ? (
        <Panel className="space-y-3 p-4">
          <p>
            You are logged in as <strong className="font-medium">{user.name}</strong> ({user.role}).
          </p>
          <ButtonLink href={next}>{next === '/' ? 'Leaderboard' : 'Continue'}</ButtonLink>
        </Panel>
      ) : (
        <Panel className="p-4">
          <form action="/login/token" method="post" className="space-y-4">
            <InputField
              id="token"
              label="Token"
              error={ofField ? why : undefined}
              autoFocus={ofField}
              hint="On its first start, the grid writes an admin token to the file admin-token in its data folder and prints a login link."
              name="token"
              type="password"
              autoComplete="current-password"
              required
              placeholder="tm_…"
              className="font-mono"
            />
            <input type="hidden" name="next" value={next} />
            <Button type="submit" look="primary">
              Log in
            </Button>
          </form>
        </Panel>
      )}
    </div>
  );
}

/** Asks before a link replaces a session, or logs in where another site led here. */
function ConfirmLogin({
  means,
  next,
  secret,
  user,
}: {
  readonly means: 'code' | 'token';
  readonly next: string;
  readonly secret: string;
  readonly user: Principal | null;
}) {
  return (
    <div className="mx-auto max-w-md">
      <PageHeader title="Log in with this link?">
        {user
          ? `You are logged in as ${user.name} (${user.role}). The link ends that session and begins its own.`
          : 'Another site led here. Continue only if you trust the link.'}
      </PageHeader>
      <Panel className="p-4">
        <form action="/login/token" method="post" className="flex gap-3">
          <input type="hidden" name={means} value={secret} />
          <input type="hidden" name="next" value={next} />
          <Button type="submit" look="primary">
            Log in
          </Button>
          <ButtonLink href={next}>Cancel</ButtonLink>
        </form>
      </Panel>
    </div>
  );
}
