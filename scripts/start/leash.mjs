/**
 * Preloaded into the grid's Node processes: when the supervisor is gone, so are they.
 * As with the supervisor, one that does not end when asked to is killed.
 */
const KILL_AFTER_MS = 40_000;

process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS).unref();
});
process.channel?.unref();
