/** Something the person at the terminal has to mend: shown as one line, without a stack. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
