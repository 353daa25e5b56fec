import { InputError } from '@tilemark/kernels';
import { z } from 'zod';

const enrolmentSchema = z.object({ databaseUrl: z.string(), redisUrl: z.string().nullable() });

/** Where a worker finds the grid's services; `redisUrl` null: the queue is kept in Postgres. */
export type Enrolment = z.infer<typeof enrolmentSchema>;

const problemSchema = z.object({ detail: z.string() });

/**
 * Asks a grid's site what to connect to. Throws InputError for an address that
 * is none and a token that is refused, Error when the site does not answer.
 */
export async function enroll(server: string, token: string): Promise<Enrolment> {
  const address = URL.canParse(server) ? new URL('api/v1/workers/enroll', withSlash(server)) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new InputError(`'${server}' is not an http or https address`, '--server');
  }
  let response: Response;
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(15_000),
    });
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined };
    const reason = cause instanceof Error ? cause.message : String(error);
    throw new Error(`The site at ${address.origin} cannot be reached (${reason}).`);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.status === 401 || response.status === 403) {
    const { data } = problemSchema.safeParse(body);
    throw new InputError(data?.detail ?? 'the token was refused', '--token');
  }
  const enrolment = enrolmentSchema.safeParse(body);
  if (!response.ok || !enrolment.success) {
    throw new Error(`${address.href} answered ${response.status}; is this a Tilemark site?`);
  }
  return enrolment.data;
}

const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`);
