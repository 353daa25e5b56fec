import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** The machines' network, and this process's own address in it. */
const NETWORK = '10.77.77';
const OWN_NUMBER = 254;

const ip = (...args: string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Machines of a lab: network namespaces on one bridge, which reach each other and nothing else. */
export class Lab {
  readonly #id = randomBytes(3).toString('hex');
  readonly #bridge = `tm${this.#id}`;
  readonly #machines: Machine[] = [];

  /** Throws where this process may not make namespaces. */
  constructor() {
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('address', 'add', `${NETWORK}.${OWN_NUMBER}/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
  }

  /** A machine of that name with an address of its own. */
  machine(name: string): Machine {
    const number = this.#machines.length + 1;
    const namespace = `tm${this.#id}-${number}`;
    const link = `tm${this.#id}v${number}`;
    ip('netns', 'add', namespace);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', link, 'master', this.#bridge, 'up');
    ip('-n', namespace, 'address', 'add', `${NETWORK}.${number}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    const machine = new Machine(name, namespace, `${NETWORK}.${number}`);
    this.#machines.push(machine);
    return machine;
  }

  /** Ends every process of every machine, and the machines. */
  async close(): Promise<void> {
    // The last first: workers before their grid.
    for (const machine of this.#machines.reverse()) await machine.close();
    ip('link', 'delete', this.#bridge);
  }
}

/** A program on a machine. */
export interface Program {
  readonly output: () => string;
  /** Exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

export class Machine {
  readonly #programs: { child: ChildProcess; ended: Promise<number | null> }[] = [];

  constructor(
    readonly name: string,
    readonly namespace: string,
    readonly address: string,
  ) {}

  /** Runs a line of shell there, under the machine's own host name. */
  run(command: string, env: Readonly<Record<string, string>>): Program {
    const child = spawn(
      'ip',
      [
        'netns',
        'exec',
        this.namespace,
        'unshare',
        '--uts',
        'sh',
        '-c',
        `hostname ${this.name}; exec ${command}`,
      ],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    this.#programs.push({ child, ended });
    return { output: () => output, ended };
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#programs) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 40_000);
      await ended;
      clearTimeout(late);
    }
    // What a program left behind would keep the namespace alive.
    const left = execFileSync('ip', ['netns', 'pids', this.namespace], { encoding: 'utf8' });
    for (const pid of left.split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // Gone by itself meanwhile.
      }
    }
    ip('netns', 'delete', this.namespace);
  }
}
