import type { Role } from './store';

/** 43 characters are what 32 random bytes come to; fewer than 32 could be guessed. */
const SECRET = /^tm_(member|admin|worker)_[A-Za-z0-9_-]{32,200}$/;

/** The role that a token's secret names, `tm_<role>_<random>`; null for text of another form. */
export const roleOfSecret = (secret: string): Role | null =>
  (SECRET.exec(secret)?.[1] as Role | undefined) ?? null;
