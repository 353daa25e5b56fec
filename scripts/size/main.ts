import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS, TOTALS } from './limits';
import { isSource, roomsOf, sizeTable, totalOf } from './size';

/** `npm run size`: lines of source per folder, without tests, and how many it may have. Fails past a limit. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = TOTALS.flatMap(({ prefixes }) => prefixes);
const listed = execFileSync('git', ['ls-files', '-z', ...folders], { cwd: root, encoding: 'utf8' });
const files = listed.split('\0').filter(isSource);
const lines = new Map(
  files.map((path) => [path, readFileSync(join(root, path), 'utf8').split('\n').length - 1]),
);
const rooms = roomsOf(lines, LIMITS);
const totals = TOTALS.map(({ name, prefixes, limit }) => totalOf(name, rooms, prefixes, limit));
const all = [...rooms, ...totals];
process.stdout.write(`${sizeTable(all)}\n`);
if (all.some((room) => room.lines > room.limit)) {
  process.stderr.write(
    'A folder has outgrown its limit: delete what it no longer needs, or raise the limit in scripts/size/limits.ts and say why.\n',
  );
  process.exitCode = 1;
}
