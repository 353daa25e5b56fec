import { resolve } from 'node:path';
import { z } from 'zod';
import { roleOfSecret } from '../api/token';

/** A variable is missing or wrong. One line per variable, saying what to set. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

const SESSION_SECRET_LENGTH = 32;

const isUrl = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

/** Unset and empty mean the same, as in a compose file that passes a variable through. */
const optional = z
  .string()
  .optional()
  .transform((text) => text?.trim() || null);

const postgresUrl = optional.refine(
  (url) => url === null || isUrl(url, ['postgres:', 'postgresql:']),
  'is not a Postgres URL: set it to postgresql://user:password@host/database',
);

const redisUrl = optional.refine(
  (url) => url === null || isUrl(url, ['redis:', 'rediss:']),
  'is not a Redis URL: set it to redis://host:6379, or leave it empty to keep the queue in Postgres',
);

/** Requests per minute; far above what people need, within what one machine can serve. */
const limit = (perMinute: number) =>
  optional
    .refine(
      (text) => text === null || /^\d{1,6}$/.test(text),
      `must be a number of requests per minute: set it to a whole number, for example ${perMinute}, or to 0 for no limit`,
    )
    .transform((text) => (text === null ? perMinute : Number(text)));

const schema = z
  .object({
    DATABASE_URL: postgresUrl.refine(
      (url) => url !== null,
      'is not set: set it to postgresql://user:password@host/database',
    ),
    REDIS_URL: redisUrl,
    TILEMARK_DATA: optional,
    TILEMARK_PUBLIC: optional.refine(
      (value) => value === null || value === '0' || value === '1',
      'must be 0 or 1: set 0 to require a login for reading',
    ),
    TILEMARK_PROXY: optional.refine(
      (value) => value === null || value === '0' || value === '1',
      'must be 0 or 1: set 1 if a proxy in front of the site writes X-Forwarded-For',
    ),
    TILEMARK_LIMIT_LOGIN: limit(60),
    TILEMARK_LIMIT_ENROLL: limit(60),
    TILEMARK_LIMIT_SUBMIT: limit(600),
    TILEMARK_LIMIT_READ: limit(240),
    TILEMARK_SESSION_SECRET: optional.refine(
      (secret) => secret === null || secret.length >= SESSION_SECRET_LENGTH,
      `is shorter than ${SESSION_SECRET_LENGTH} characters: set it to the output of \`openssl rand -base64 32\``,
    ),
  })
  .transform((set) => ({
    databaseUrl: set.DATABASE_URL ?? '',
    /** Null: the queue is kept in Postgres. */
    redisUrl: set.REDIS_URL,
    /** Absolute path of the folder for what is not in the database: tokens, journals, logs. */
    dataDir: resolve(set.TILEMARK_DATA ?? '.tilemark'),
    /** Whether reading needs no token. */
    isPublic: set.TILEMARK_PUBLIC !== '0',
    /** Seals session cookies; null: one is made and kept in the data folder. */
    sessionSecret: set.TILEMARK_SESSION_SECRET,
    /** Requests per minute; 0: no limit. */
    limits: {
      /** Attempts to log in from one address. */
      logIn: set.TILEMARK_LIMIT_LOGIN,
      enroll: set.TILEMARK_LIMIT_ENROLL,
      /** Sweeps and imports with one token. */
      submit: set.TILEMARK_LIMIT_SUBMIT,
      /** Pages from one address; other answers count by what they take (web's session/reads.ts). */
      read: set.TILEMARK_LIMIT_READ,
    },
    /** Whether a proxy in front of the site writes the reader's address into X-Forwarded-For. */
    isBehindProxy: set.TILEMARK_PROXY === '1',
  }));

/** Settings from the process's environment. This file is the one place that reads it. */
export type Env = z.output<typeof schema>;
export type Limits = Env['limits'];

/** Read only by the start; sites and workers do not need it. */
const adminTokenSchema = z.object({
  TILEMARK_ADMIN_TOKEN: optional.refine(
    (secret) => secret === null || roleOfSecret(secret) === 'admin',
    'is not an admin token: set it to tm_admin_ followed by the output of `openssl rand -hex 32`',
  ),
});

/**
 * Reads and checks the environment.
 *
 * @throws EnvError naming each variable at fault and what to set
 */
export const readEnv = (variables: NodeJS.ProcessEnv = process.env): Env =>
  checked(schema, variables);

/**
 * The admin token chosen by the deployment; null: the first start makes one.
 *
 * @throws EnvError for any other form, without repeating the text
 */
export function readAdminTokenSetting(variables: NodeJS.ProcessEnv = process.env): string | null {
  return checked(adminTokenSchema, variables).TILEMARK_ADMIN_TOKEN;
}

/** The data folder named by the environment, absolute; null if it names none. */
export function readDataDir(variables: NodeJS.ProcessEnv = process.env): string | null {
  const folder = variables.TILEMARK_DATA?.trim();
  return folder ? resolve(folder) : null;
}

/** What tells who a grid's people are and lets in where its data is. */
const SECRET = /^(TILEMARK_|DATABASE_URL$|REDIS_URL$)/;

/** The environment without what would open the grid: for a program that runs what strangers wrote. */
export const withoutSecrets = (
  variables: NodeJS.ProcessEnv = process.env,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !SECRET.test(name)));

/** How wide lines are to be where there is no terminal to tell; null if nothing says so. */
export const readColumns = (variables: NodeJS.ProcessEnv = process.env): number | null =>
  Number(variables.COLUMNS) || null;

function checked<Schema extends z.ZodType>(
  schema: Schema,
  variables: NodeJS.ProcessEnv,
): z.output<Schema> {
  const { data, error } = schema.safeParse(variables);
  if (!error) return data;
  throw new EnvError(
    error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join('\n'),
  );
}
