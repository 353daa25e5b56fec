/**
 * The environment of the scripts: the only file in scripts/ that reads `process.env`. Settings of the
 * product itself are read by `readEnv` of @tilemark/core/server.
 */

const setting = (name: string): string | null => process.env[name] || null;

/** The Postgres to use; null: an embedded one is started. */
export const givenDatabaseUrl = (): string | null => setting('DATABASE_URL');

/** The Redis to use; null: a private one is started if a server is installed. */
export const givenRedisUrl = (): string | null => setting('REDIS_URL');

/** Whether installing packages on this machine is forbidden. */
export const aptForbidden = (): boolean => setting('TILEMARK_NO_APT') === '1';

/** Settings of docker-compose.yml, by name. */
export const composeSetting = (name: string): string | null => setting(name);

export const searchPath = (): string => setting('PATH') ?? '';

/** The environment of child processes, with `more` added: they need PATH, HOME and the like. */
export const childEnvironment = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...more,
});
