/** Runs one step of the start and says what it is and how long it took. */
export async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const terminal = process.stdout.isTTY;
  process.stdout.write(terminal ? `  … ${what}` : `  ${what} ...\n`);
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  try {
    const result = await run();
    process.stdout.write(terminal ? `\r  ✓ ${what} (${seconds()} s)\n` : '');
    return result;
  } catch (error) {
    process.stdout.write(terminal ? `\r  ✗ ${what} (${seconds()} s)\n` : '');
    throw error;
  }
}

export const say = (line: string): void => {
  process.stdout.write(`  ${line}\n`);
};

/** A problem that the user at the terminal has to fix: shown as one line, without a stack. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
