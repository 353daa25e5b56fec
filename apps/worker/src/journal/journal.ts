import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Journal as Kept, type Log, type RunOutcome, runOutcomeSchema } from '@tilemark/core';
import { z } from 'zod';

const SUFFIX = '.json';

/** A temporary file this old has lost its writer: writing one takes less, ms. */
const LEFT_BEHIND_MS = 10_000;

/**
 * The journal of a machine: a folder with one file per run, whole or absent, on disk before
 * `append` returns. Workers may share a folder.
 */
export class Journal implements Kept {
  readonly #folder: string;
  readonly #log: Log;

  private constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  static async open(folder: string, log: Log): Promise<Journal> {
    await mkdir(folder, { recursive: true });
    return new Journal(folder, log);
  }

  async append(record: RunOutcome): Promise<void> {
    // Another worker may remove a file that took too long to write.
    while (!(await this.#tryToAppend(record)));
    await this.#syncFolder();
  }

  /** False if the file was removed before it could get its name. */
  async #tryToAppend(record: RunOutcome): Promise<boolean> {
    // Written aside, then renamed: a reader never sees half a record.
    const aside = join(this.#folder, `.${encodeURIComponent(record.runId)}-${randomUUID()}`);
    const file = await open(aside, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await rename(aside, this.#fileOf(record.runId));
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  async strike(runId: string): Promise<void> {
    await rm(this.#fileOf(runId), { force: true });
  }

  async setAside(runId: string): Promise<void> {
    await rename(this.#fileOf(runId), join(this.#folder, `${encodeURIComponent(runId)}.refused`));
  }

  /**
   * Records still to be handed in, oldest first. A file that is not a record,
   * as a full or failing disk leaves behind, is set aside and does not stop the others.
   * What a killed process was writing was never appended, and is removed.
   */
  async pending(): Promise<RunOutcome[]> {
    const all = await readdir(this.#folder);
    await Promise.all(all.filter(isAside).map((name) => this.#removeLeftBehind(name)));
    const names = all.filter((name) => !isAside(name) && name.endsWith(SUFFIX));
    const records = await Promise.all(
      names.map(async (name): Promise<RunOutcome[]> => {
        // Another worker may have struck it since the folder was read.
        const text = await readFile(join(this.#folder, name), 'utf8').catch(() => null);
        if (text === null) return [];
        const record = parse(text);
        if (record && nameOf(record.runId) === name) return [record];
        await this.#setUnreadableAside(name);
        return [];
      }),
    );
    return records.flat().sort((a, b) => a.endedAt.localeCompare(b.endedAt));
  }

  async #removeLeftBehind(name: string): Promise<void> {
    const path = join(this.#folder, name);
    const written = await stat(path).catch(() => null);
    if (!written || Date.now() - written.mtimeMs < LEFT_BEHIND_MS) return;
    this.#log.info({ path }, 'removing what a killed process was writing');
    await rm(path, { force: true });
  }

  async #setUnreadableAside(name: string): Promise<void> {
    const path = join(this.#folder, `${name}.unreadable`);
    try {
      await rename(join(this.#folder, name), path);
      this.#log.error({ path }, 'a result in the journal cannot be read: set aside');
    } catch (error) {
      // Another worker may have been first; a file that cannot be moved comes up again.
      this.#log.warn({ path, error: String(error) }, 'could not set an unreadable result aside');
    }
  }

  #fileOf(runId: string): string {
    return join(this.#folder, nameOf(runId));
  }

  /** Makes the rename itself durable. Windows cannot open folders and does not need this. */
  async #syncFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** Whether a file is still being written: see `append`. */
const isAside = (name: string) => name.startsWith('.');

const isGone = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const nameOf = (runId: string): string => `${encodeURIComponent(runId)}${SUFFIX}`;

const recordSchema = runOutcomeSchema.extend({ runId: z.string(), workerId: z.string() });

/** The record in a file's text; null if it is not a record. */
function parse(text: string): RunOutcome | null {
  try {
    const record: RunOutcome = JSON.parse(text);
    return recordSchema.safeParse(record).success ? record : null;
  } catch {
    return null;
  }
}
