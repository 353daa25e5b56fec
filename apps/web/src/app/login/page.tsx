import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { localPath } from '@/server/redirect';
import { visitor } from '@/server/visitor';
import { Button, ButtonLink } from '@/ui/button';
import { Field, Input } from '@/ui/field';
import { Notice } from '@/ui/notice';
import { PageHeader, Panel } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Log in' };

const querySchema = z.object({
  token: z.string().max(500).optional(),
  /** Of a link that logs in once. */
  code: z.string().max(500).optional(),
  failed: z.enum(['token', 'code', 'away']).optional(),
  /** Where one came from, see `localPath`. */
  next: z.string().max(2_000).optional(),
});

const FAILURES = {
  token: 'This token is unknown, expired or revoked.',
  code: 'This link was followed already, or is older than a day. Paste a token, or start the grid again for a new link.',
  away: 'The database is away, so tokens cannot be checked. Try again soon.',
} as const;

/** Takes a token once, by address or by form, and keeps a session in its place. */
export default async function LoginPage({ searchParams }: { searchParams: SearchParams }) {
  const { query } = parseQuery(querySchema, await searchParams);
  const next = localPath(query.next);
  for (const means of ['code', 'token'] as const) {
    const secret = query[means];
    if (secret) redirect(`/login/token?${new URLSearchParams({ [means]: secret, next })}`);
  }
  const user = await visitor();

  return (
    <div className="mx-auto max-w-md">
      <PageHeader title="Log in">
        Reading needs no account where the grid is public. Submitting sweeps takes a member or an
        admin token.
      </PageHeader>
      {query.failed && (
        <div className="mb-4">
          <Notice tone="rose" alert>
            {FAILURES[query.failed]}
          </Notice>
        </div>
      )}
      {user ? (
        <Panel className="space-y-3 p-4">
          <p>
            You are logged in as <strong className="font-medium">{user.name}</strong> ({user.role}).
          </p>
          <ButtonLink href={next}>{next === '/' ? 'Leaderboard' : 'Go on'}</ButtonLink>
        </Panel>
      ) : (
        <Panel className="p-4">
          <form action="/login/token" method="post" className="space-y-4">
            <Field
              id="token"
              label="Token"
              hint="The first start writes an admin token to admin-token in the data folder and prints a link that logs in."
            >
              <Input
                id="token"
                name="token"
                type="password"
                autoComplete="current-password"
                required
                aria-describedby="token-hint"
                placeholder="tm_…"
                className="font-mono"
              />
            </Field>
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
