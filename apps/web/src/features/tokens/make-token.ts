import { problemDetailsSchema } from '@tilemark/core';
import { z } from 'zod';
import { expiryOf } from './expiry';

/** A token that was made, with its secret, or why there is none. */
export type Made =
  | { readonly ok: true; readonly name: string; readonly secret: string }
  | { readonly ok: false; readonly message: string };

const madeSchema = z.object({ secret: z.string() });

/** Asks the grid for a token; for admins in a browser. */
export async function makeToken(name: string, role: string, lifetime: string): Promise<Made> {
  try {
    const response = await fetch('/api/v1/tokens', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, role, expiresAt: expiryOf(lifetime, new Date()) }),
    });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, name, secret: madeSchema.parse(body).secret };
    return { ok: false, message: problemDetailsSchema.parse(body).detail };
  } catch {
    return { ok: false, message: 'The server could not be reached. No token was made.' };
  }
}
