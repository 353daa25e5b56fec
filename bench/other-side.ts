import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Side } from './compare';

/**
 * The other side: a process that answers each line with a line, started on first use. Once it has
 * ended, `measure` resolves to null and `absence` says why.
 */
export class OtherSide {
  absence: string | null = null;
  readonly #name: string;
  readonly #command: readonly [command: string, ...args: string[]];
  #open: { child: ChildProcessWithoutNullStreams; lines: AsyncIterator<string> } | null = null;
  #said = '';

  constructor(name: string, ...command: [command: string, ...args: string[]]) {
    this.#name = name;
    this.#command = command;
  }

  async measure(question: object): Promise<Side | null> {
    if (this.absence !== null) return null;
    this.#open ??= this.#start();
    const { child, lines } = this.#open;
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await lines.next();
    if (done) {
      this.absence = `${this.#name} was not measured: ${this.#said.trim().split('\n').at(-1)}`;
      return null;
    }
    const answer = JSON.parse(value);
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  close(): void {
    this.#open?.child.stdin.end();
  }

  #start() {
    const [command, ...args] = this.#command;
    const child = spawn(command, args);
    // If the program is missing or has ended, no answer comes, which is handled there.
    child.on('error', (error) => {
      this.#said += String(error);
    });
    child.stderr.on('data', (text) => {
      this.#said += text;
    });
    child.stdin.on('error', () => undefined);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }
}
