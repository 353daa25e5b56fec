import { HttpProblem } from './problem';

/** Throws 400 for text that Postgres cannot hold: NUL, and halves of surrogate pairs. */
export function checkText(text: string, field: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  throw new HttpProblem(400, 'This text holds characters that are none.', printable(field));
}

/** As `checkText`, for the name of a field; `__proto__` would vanish on its way through objects. */
export function checkName(name: string): void {
  checkText(name, name);
  if (name === '__proto__') throw new HttpProblem(400, 'No field may be called this.', name);
}

const printable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');
