/** Preloaded into the grid's Node processes: when the supervisor is gone, so are they. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
