/** A problem that the user at the terminal has to fix: shown as one line, without a stack. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
