/**
 * Preloaded into the grid's Node processes, so that they end with the supervisor. A process that
 * does not end when asked to is killed, as the supervisor does.
 */
const KILL_AFTER_MS = 40_000;

process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS).unref();
});
process.channel?.unref();
