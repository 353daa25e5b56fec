import { cpus } from 'node:os';

/** Asks for the part of the time for which this machine's processors worked since it was last asked. */
export function machineLoad(): () => number {
  let last = { idle: 0, all: 0 };
  return () => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((ms, time) => ms + time.idle, 0);
    const all = times.reduce(
      (ms, time) => ms + time.user + time.nice + time.sys + time.irq + time.idle,
      0,
    );
    const [idled, passed] = [idle - last.idle, all - last.all];
    last = { idle, all };
    return passed > 0 ? 1 - idled / passed : 0;
  };
}

/** The machine's load without this process's own. */
export function othersLoad(): () => number {
  const load = machineLoad();
  load();
  let last = { own: process.cpuUsage(), ms: performance.now() };
  return () => {
    const { system, user } = process.cpuUsage(last.own);
    const ms = performance.now();
    const share = (system + user) / 1e3 / ((ms - last.ms) * cpus().length);
    last = { own: process.cpuUsage(), ms };
    return Math.min(Math.max(load() - share, 0), 1);
  };
}
