import { readdir, readFile } from 'node:fs/promises';

/** The unit in which Linux counts a process's CPU time. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process and its descendants, s, as Linux reports it. */
export async function cpuSeconds(pid: number): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')),
  );
  const processes = stats.flatMap((stat) => {
    // After the name in brackets, which may contain anything: state, parent, ...; times at 11 to 14.
    const [, id, rest = ''] = /^(\d+) \(.*\) (.*)$/s.exec(stat) ?? [];
    const fields = rest.split(' ').map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
    return id === undefined ? [] : [{ id: Number(id), parent: fields[1], ticks }];
  });
  const sum = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce(
        (total, { id }) => total + sum(id),
        processes.find(({ id }) => id === pid)?.ticks ?? 0,
      );
  return sum(pid) / TICKS_PER_SECOND;
}
