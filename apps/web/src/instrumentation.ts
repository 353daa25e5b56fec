/** Called once when the server starts, before it answers. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: a constant of the build, which leaves this file out of the edge bundle
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startUpkeep } = await import('./server/upkeep');
    startUpkeep();
    // For serve.mjs, which is not bundled.
    const { handle } = await import('./server/api/app');
    const { openReads } = await import('./server/session/reads');
    const { problemResponse } = await import('./server/problem');
    Object.assign(globalThis, { tilemark: { handle, openReads, problemResponse } });
  }
}
