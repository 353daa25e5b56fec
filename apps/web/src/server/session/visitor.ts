import type { Principal } from '@tilemark/core/server';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { SESSION_COOKIE } from '@/ui/site';
import { type Services, services } from '../services';
import { identifySession } from './principal';
import { PATH_HEADER } from './redirect';

/** The visitor of a page; null without a session. Looked up once per request. */
export const visitor = cache(async (): Promise<Principal | null> => {
  const sealed = (await cookies()).get(SESSION_COOKIE)?.value;
  if (!sealed) return null;
  return (await identifySession(sealed, await services())).principal;
});

/** The services, for a page whose visitor may read; others are sent to log in. */
export async function readable(): Promise<Services> {
  const opened = await services();
  if (!opened.settings.isPublic && !(await visitor())) await toLogin();
  return opened;
}

/** The services, for a page of somebody who is logged in, and who that is; others are sent to log in. */
export async function signedIn(): Promise<{ services: Services; user: Principal }> {
  const user = (await visitor()) ?? (await toLogin());
  return { services: await services(), user };
}

/** The services for a page of admins; null where the visitor is somebody else, who is told so. */
export async function administered(): Promise<Services | null> {
  const { services, user } = await signedIn();
  return user.role === 'admin' ? services : null;
}

async function toLogin(): Promise<never> {
  const next = (await headers()).get(PATH_HEADER);
  redirect(next ? `/login?${new URLSearchParams({ next })}` : '/login');
}
