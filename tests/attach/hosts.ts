import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** This process's own number in the machines' network. */
const OWN_NUMBER = 254;

const ip = (...args: string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Machines of a lab: network namespaces on one bridge, which reach each other and nothing else. */
export class Lab {
  readonly #id = randomBytes(3).toString('hex');
  readonly #bridge = `tm${this.#id}`;
  /** Any private one: two labs on a machine do not meet. */
  readonly #network = `10.77.${randomBytes(1)[0]}`;
  readonly #machines: Machine[] = [];

  /** Throws where this process may not make namespaces. */
  constructor() {
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('address', 'add', `${this.#network}.${OWN_NUMBER}/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
  }

  /** This process's own address in the lab. */
  get address(): string {
    return `${this.#network}.${OWN_NUMBER}`;
  }

  /** A machine of that name with an address of its own. */
  machine(name: string): Machine {
    const number = this.#machines.length + 1;
    const namespace = `tm${this.#id}-${number}`;
    const link = `tm${this.#id}v${number}`;
    ip('netns', 'add', namespace);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', link, 'master', this.#bridge, 'up');
    ip('-n', namespace, 'address', 'add', `${this.#network}.${number}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    const machine = new Machine(name, namespace, `${this.#network}.${number}`, link);
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
  readonly #programs: ChildProcess[] = [];

  constructor(
    readonly name: string,
    readonly namespace: string,
    public address: string,
    readonly link: string,
  ) {}

  /** Pulls its cable, or puts it back: the kernel drops every packet, and nobody is told. */
  plug(isPlugged: boolean): void {
    ip('link', 'set', this.link, isPlugged ? 'up' : 'down');
  }

  /** Gives it another address, as a laptop gets in another room; the one before is gone. */
  move(number: number): void {
    const address = this.address.replace(/\d+$/, String(number));
    ip('-n', this.namespace, 'address', 'flush', 'dev', 'eth0');
    ip('-n', this.namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    this.address = address;
  }

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
        `hostname ${this.name}; exec env ${command}`,
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
    this.#programs.push(child);
    return { output: () => output, ended };
  }

  /** Ids of its processes whose command line contains a text. */
  pidsOf(text: string): number[] {
    return this.#pids().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
      } catch {
        return false;
      }
    });
  }

  async close(): Promise<void> {
    for (const child of this.#programs) child.kill('SIGTERM');
    // A program's own children may outlive it, and keep the namespace alive.
    const deadlineMs = performance.now() + 40_000;
    for (let pids = this.#pids(); pids.length > 0; pids = this.#pids()) {
      if (performance.now() > deadlineMs) for (const pid of pids) kill(pid);
      await sleep(200);
    }
    ip('netns', 'delete', this.namespace);
  }

  #pids(): number[] {
    const text = execFileSync('ip', ['netns', 'pids', this.namespace], { encoding: 'utf8' });
    return text.split('\n').filter(Boolean).map(Number);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone by itself meanwhile.
  }
}
