import { resolve } from 'node:path';
import { z } from 'zod';
import { roleOfSecret } from './token-secret';

/** What the surroundings decide. The one place that reads the process's environment. */
export interface Env {
  readonly databaseUrl: string;
  /** Null: the queue is kept in Postgres. */
  readonly redisUrl: string | null;
  /** Where enrolled workers find Postgres; null: at `databaseUrl`. They log in with their own role. */
  readonly workerDatabaseUrl: string | null;
  /** Where enrolled workers find Redis; null: at `redisUrl`. */
  readonly workerRedisUrl: string | null;
  /** Absolute path of the folder for what is not in the database: tokens, journals, logs. */
  readonly dataDir: string;
  /** Whether reading needs no token. */
  readonly isPublic: boolean;
  /** Seals session cookies; null: one is made and kept in the data folder. */
  readonly sessionSecret: string | null;
  readonly limits: Limits;
  /** Whether a proxy before the site writes the reader's address into X-Forwarded-For. */
  readonly isBehindProxy: boolean;
}

/** Requests a minute; 0: no limit. */
export interface Limits {
  /** Attempts to log in from one address. */
  readonly logIn: number;
  /** Enrolments with one token. */
  readonly enroll: number;
  /** Sweeps and imports with one token. */
  readonly submit: number;
}

/** A variable is missing or wrong. One line for each, saying what to set. */
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
  'is no Postgres URL: set it to postgresql://user:password@host/database',
);

const redisUrl = optional.refine(
  (url) => url === null || isUrl(url, ['redis:', 'rediss:']),
  'is no Redis URL: set it to redis://host:6379, or leave it empty to keep the queue in Postgres',
);

/** Requests a minute; far beyond what people do, within what one machine bears. */
const limit = (perMinute: number) =>
  optional
    .refine(
      (text) => text === null || /^\d{1,6}$/.test(text),
      `is no number of requests a minute: set it to a whole number, for example ${perMinute}, or to 0 for no limit`,
    )
    .transform((text) => (text === null ? perMinute : Number(text)));

const schema = z.object({
  DATABASE_URL: postgresUrl.refine(
    (url) => url !== null,
    'is not set: set it to postgresql://user:password@host/database',
  ),
  REDIS_URL: redisUrl,
  TILEMARK_WORKER_DATABASE_URL: postgresUrl,
  TILEMARK_WORKER_REDIS_URL: redisUrl,
  TILEMARK_DATA: optional,
  TILEMARK_PUBLIC: optional.refine(
    (value) => value === null || value === '0' || value === '1',
    'is neither 0 nor 1: set 0 to ask for a login before reading',
  ),
  TILEMARK_PROXY: optional.refine(
    (value) => value === null || value === '0' || value === '1',
    'is neither 0 nor 1: set 1 where a proxy before the site writes X-Forwarded-For',
  ),
  TILEMARK_LIMIT_LOGIN: limit(60),
  TILEMARK_LIMIT_ENROLL: limit(60),
  TILEMARK_LIMIT_SUBMIT: limit(600),
  TILEMARK_SESSION_SECRET: optional.refine(
    (secret) => secret === null || secret.length >= SESSION_SECRET_LENGTH,
    `is shorter than ${SESSION_SECRET_LENGTH} characters: set it to the output of \`openssl rand -base64 32\``,
  ),
});

/** Read by the start alone: sites and workers have no use for it. */
const adminTokenSchema = z.object({
  TILEMARK_ADMIN_TOKEN: optional.refine(
    (secret) => secret === null || roleOfSecret(secret) === 'admin',
    'is no admin token: set it to tm_admin_ followed by the output of `openssl rand -hex 32`',
  ),
});

/**
 * Reads and checks the environment.
 *
 * @throws EnvError naming each variable at fault and what to set
 */
export function readEnv(variables: NodeJS.ProcessEnv = process.env): Env {
  const data = checked(schema, variables);
  return {
    databaseUrl: data.DATABASE_URL ?? '',
    redisUrl: data.REDIS_URL,
    workerDatabaseUrl: data.TILEMARK_WORKER_DATABASE_URL,
    workerRedisUrl: data.TILEMARK_WORKER_REDIS_URL,
    dataDir: resolve(data.TILEMARK_DATA ?? '.tilemark'),
    isPublic: data.TILEMARK_PUBLIC !== '0',
    sessionSecret: data.TILEMARK_SESSION_SECRET,
    limits: {
      logIn: data.TILEMARK_LIMIT_LOGIN,
      enroll: data.TILEMARK_LIMIT_ENROLL,
      submit: data.TILEMARK_LIMIT_SUBMIT,
    },
    isBehindProxy: data.TILEMARK_PROXY === '1',
  };
}

/**
 * The admin token that the deployment has chosen; null: the first start makes one.
 *
 * @throws EnvError for a text of another form, without repeating it
 */
export function readAdminTokenSetting(variables: NodeJS.ProcessEnv = process.env): string | null {
  return checked(adminTokenSchema, variables).TILEMARK_ADMIN_TOKEN;
}

/** The data folder that the surroundings name, absolute; null: they name none. */
export function readDataDir(variables: NodeJS.ProcessEnv = process.env): string | null {
  const folder = variables.TILEMARK_DATA?.trim();
  return folder ? resolve(folder) : null;
}

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
