import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TABLES = ['"Result"', '"Environment"', '"Run"'];

/** A disk that can be filled, with tables on it. */
export interface SmallDisk {
  fill(): Promise<void>;
  clear(): Promise<void>;
  /** Brings the tables back to where they were. */
  remove(): Promise<void>;
}

/**
 * Moves the results to a disk of 16 MB (a tmpfs: needs root).
 *
 * @param sql runs statements as the superuser
 */
export async function smallDisk(
  folder: string,
  sql: (...statements: readonly string[]) => Promise<void>,
): Promise<SmallDisk> {
  const disk = join(folder, 'small-disk');
  const filler = join(disk, 'filler');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=777', 'tmpfs', disk]);
  const move = (place: string) =>
    sql(...TABLES.map((table) => `ALTER TABLE ${table} SET TABLESPACE ${place}`));
  await run('install', ['-d', '-o', 'postgres', join(disk, 'tables')]);
  await sql(`CREATE TABLESPACE small LOCATION '${join(disk, 'tables')}'`);
  await move('small');
  return {
    fill: async () => {
      // Ends with an error once the disk is full, which is what it is for.
      await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']).catch(() => undefined);
      // Pages that are there already have room for some results: made full as well.
      await sql('VACUUM FULL "Result"').catch(() => undefined);
    },
    clear: () => rm(filler, { force: true }),
    remove: async () => {
      await rm(filler, { force: true });
      await move('pg_default');
      await sql('DROP TABLESPACE small');
      await run('umount', [disk]);
    },
  };
}
