import { type Problem, particularsText, shapeText } from '@tilemark/kernels';
import { z } from 'zod';
import { problemSchema } from '../plan/spec';
import { date, id } from './answer';

export const roleSchema = z.enum(['member', 'admin', 'worker']);

/** 32 random bytes make 43 characters; fewer than 32 could be guessed. */
const SECRET = /^tm_(member|admin|worker)_[A-Za-z0-9_-]{32,200}$/;

/** The role that a token's secret names, `tm_<role>_<random>`; null for text of another form. */
export const roleOfSecret = (secret: string): z.infer<typeof roleSchema> | null =>
  (SECRET.exec(secret)?.[1] as z.infer<typeof roleSchema> | undefined) ?? null;

/** A token without its secret, which is never stored. */
export const tokenSchema = z.object({
  id,
  name: z.string(),
  role: roleSchema,
  createdAt: date,
  /** Null: it does not expire. */
  expiresAt: date.nullable(),
  /** To the minute; null if never used. */
  lastUsedAt: date.nullable(),
  revokedAt: date.nullable(),
  /** Its results decide: on boards, in `/best` and roofs. */
  trusted: z.boolean(),
  /** When a worker attached with it was revoked: since then it admits no new workers. */
  closedAt: date.nullable(),
});
export type Token = z.infer<typeof tokenSchema>;

/** How the secret of an invite begins, in the fragment of `/join#…`. */
export const INVITE_PREFIX = 'tm_invite_';

/** An invite without its secret, which is never stored: a class, or whoever else a link is for. */
export const inviteSchema = z.object({
  id,
  name: z.string(),
  /** What its students hand kernels in for. */
  problems: z.array(problemSchema),
  seats: z.number().int(),
  /** Seats taken; that of somebody who was removed is free again. */
  used: z.number().int(),
  /** The tokens it makes are trusted. */
  trusted: z.boolean(),
  createdBy: z.string(),
  createdAt: date,
  expiresAt: date,
});
export type Invite = z.infer<typeof inviteSchema>;

/** `matmul 512 f32`: what a class asks for, and what a kernel was measured on. */
export const problemName = (problem: Problem): string =>
  `${problem.op} ${shapeText(problem)} ${problem.dtype}${particularsText(problem)}`;

/** The kernel that a student handed in last for a problem of their class, and how it did in their tab. */
export const handedInSchema = z.object({
  kernel: z.string(),
  /** The result that decides. */
  resultId: id,
  device: z.string(),
  handedInAt: date,
  /** `right`, `wrong`, or why it is not known. */
  finding: z.string(),
  /** Where it is not right: the shape, and which element or what else. */
  reason: z.string().nullable(),
  /** Per dispatch; null unless right. */
  medianNs: z.number().nullable(),
  /** Times as fast as naive in the same tab, with the 95% interval; null: one of them was not measured. */
  overNaive: z.object({ ratio: z.number(), low: z.number(), high: z.number() }).nullable(),
});
export type HandedIn = z.infer<typeof handedInSchema>;

export const classSchema = inviteSchema.extend({
  /** Who joined and was not removed, the first first. */
  students: z.array(
    z.object({
      name: z.string(),
      joinedAt: date,
      /** In the order of `problems`; null: nothing yet. */
      handedIn: z.array(handedInSchema.nullable()),
    }),
  ),
});
export type Class = z.infer<typeof classSchema>;
