import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Side } from './compare';

/**
 * The other side: a process that answers each line with a line, started on first use. Once it has
 * ended, `measure` resolves to null and `absence` says why.
 */
export class OtherSide<Answer = Side> {
  absence: string | null = null;
  readonly #name: string;
  readonly #mostSilentMs: number;
  readonly #command: readonly [command: string, ...args: string[]];
  #open: {
    readonly child: ChildProcessWithoutNullStreams;
    readonly reader: Interface;
    readonly lines: AsyncIterator<string>;
  } | null = null;
  #said = '';

  /** @param mostSilentMs after which it has ended: an answer takes compiling and seconds of samples */
  constructor(name: string, command: readonly [string, ...string[]], mostSilentMs = 10 * 60e3) {
    this.#name = name;
    this.#command = command;
    this.#mostSilentMs = mostSilentMs;
  }

  async measure(question: object): Promise<Answer | null> {
    if (this.absence !== null) return null;
    this.#open ??= this.#start();
    const { child, lines, reader } = this.#open;
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const silent = setTimeout(() => {
      this.#said = `it was silent for ${this.#mostSilentMs / 60e3} minutes`;
      child.kill();
      // Its own children may hold its output open.
      reader.close();
    }, this.#mostSilentMs);
    const { value, done } = await lines.next();
    clearTimeout(silent);
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
    const reader = createInterface({ input: child.stdout });
    return { child, reader, lines: reader[Symbol.asyncIterator]() };
  }
}
