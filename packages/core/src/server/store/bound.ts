import type { PrismaClient } from '@tilemark/db';

type Verb = (db: PrismaClient, ...args: never[]) => unknown;
type Bound<Of> = Of extends (db: PrismaClient, ...args: infer Args) => infer Answer
  ? (...args: Args) => Answer
  : never;

/** The verbs of a noun, on one database. */
export const bound = <Verbs extends Readonly<Record<string, Verb>>>(
  db: PrismaClient,
  verbs: Verbs,
) =>
  Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, verb.bind(null, db)])) as {
    readonly [Name in keyof Verbs]: Bound<Verbs[Name]>;
  };
