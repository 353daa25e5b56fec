import { z } from 'zod';

/** A time as Postgres can hold it: it has no year 0. */
export const date = z.iso
  .datetime()
  .refine((time) => Date.parse(time) >= 0, 'This was before 1970.');
export const id = z.string().min(1).max(64);
export const name = z.string().trim().min(1).max(120);
