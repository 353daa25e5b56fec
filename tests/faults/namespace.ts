import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = (...args: readonly string[]) => run('ip', args);

/** A network of its own for a process, joined to this machine's by a cable that can be pulled. */
export interface Namespace {
  /** Of this machine, as the process in the namespace reaches it. */
  readonly address: string;
  /** Runs a command with this network. */
  readonly wrapper: readonly string[];
  /** Pulls the cable: the kernel drops every packet, and nobody is told. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a network namespace with a veth pair: needs root and Linux. */
export async function makeNamespace(): Promise<Namespace> {
  const id = randomBytes(3).toString('hex');
  const [name, here, there] = [`tilemark-${id}`, `tm-${id}-h`, `tm-${id}-n`];
  // Of the block for tests of networks, RFC 2544.
  const net = `198.18.${randomInt(1, 255)}`;
  await ip('netns', 'add', name);
  await ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
  await ip('addr', 'add', `${net}.1/24`, 'dev', here);
  await ip('-n', name, 'addr', 'add', `${net}.2/24`, 'dev', there);
  await ip('-n', name, 'link', 'set', 'lo', 'up');
  await ip('-n', name, 'link', 'set', there, 'up');
  await ip('link', 'set', here, 'up');
  return {
    address: `${net}.1`,
    wrapper: ['ip', 'netns', 'exec', name],
    cut: async () => void (await ip('link', 'set', here, 'down')),
    mend: async () => void (await ip('link', 'set', here, 'up')),
    // The pair goes with it.
    remove: async () => void (await ip('netns', 'del', name)),
  };
}
