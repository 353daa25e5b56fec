/** Lines that a folder's source has, and may have. */
export interface Room {
  readonly folder: string;
  readonly lines: number;
  readonly limit: number;
}

/** What may hold source, by folder: a file counts for the longest folder that contains it. */
export type Limits = Readonly<Record<string, number>>;

const SOURCE = /\.(ts|tsx|mjs|wgsl|css|prisma|sql)$/;
const TEST = /\.(test|test-helper|spec)\.tsx?$/;

/** Whether a file counts: source of the product, not its tests. */
export const isSource = (path: string): boolean => SOURCE.test(path) && !TEST.test(path);

/**
 * Sums the lines of each folder that has a limit.
 *
 * @param files path -> lines; paths are relative to the repository and use `/`
 * @throws Error for a file that no folder with a limit contains
 */
export function roomsOf(files: ReadonlyMap<string, number>, limits: Limits): readonly Room[] {
  const folders = Object.keys(limits).sort((a, b) => b.length - a.length);
  const lines = new Map<string, number>();
  for (const [path, count] of files) {
    const folder = folders.find((candidate) => path.startsWith(`${candidate}/`));
    if (folder === undefined) {
      throw new Error(
        `${path} is in no folder that has a limit: add one to scripts/size/limits.ts.`,
      );
    }
    lines.set(folder, (lines.get(folder) ?? 0) + count);
  }
  return Object.entries(limits).map(([folder, limit]) => {
    return { folder, lines: lines.get(folder) ?? 0, limit };
  });
}

/** The rooms of some folders as one. */
export function totalOf(
  name: string,
  rooms: readonly Room[],
  prefixes: readonly string[],
  limit: number,
): Room {
  const within = rooms.filter(({ folder }) => prefixes.some((prefix) => folder.startsWith(prefix)));
  return { folder: name, lines: within.reduce((sum, { lines }) => sum + lines, 0), limit };
}

/** A table of folder, lines and limit, the lines past a limit marked. */
export function sizeTable(rooms: readonly Room[]): string {
  const width = Math.max(...rooms.map(({ folder }) => folder.length));
  return rooms
    .map(({ folder, lines, limit }) => {
      const row = `${folder.padEnd(width)} ${String(lines).padStart(6)} of ${String(limit).padStart(6)}`;
      return lines > limit ? `${row}  ${lines - limit} too many` : row;
    })
    .join('\n');
}
