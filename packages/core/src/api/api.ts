/**
 * The view: what the API answers and the pages show, one noun per file, as zod schemas with
 * their types. A schema is written once: the API validates with it, openapi.json is made from
 * it, and pages read its type.
 *
 * - To change an answer, change its schema here and the reader in server/store that fills it;
 *   clients of version 1 must keep working.
 * - To add a figure of a result (a column of tables, boards, and CSV), add one entry to
 *   metrics.ts; run.ts is the one form in which a run reaches them.
 * - A new noun is a file and a line below.
 * - CSV is written by csv.ts alone, which keeps spreadsheets from running formulas.
 */

export * from './answer';
export * from './best';
export * from './brought-file';
export * from './change';
export * from './device';
export * from './kernel';
export * from './leaderboard';
export * from './licence';
export * from './limits';
export * from './question';
export * from './reference';
export * from './result';
export * from './suite';
export * from './sweep';
export * from './token';
export * from './tuning';
export * from './worker';
