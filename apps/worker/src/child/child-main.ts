import { Worker } from 'node:worker_threads';
import { type FromOwner, ownDevice } from '@tilemark/core';
import type { KernelFile } from '@tilemark/kernels';
import { chooseDevice, listDevices, openDevice } from '../device/select';
import { useRelease } from '../gpu/dawn';
import { othersLoad } from '../run/machine-load';
import type { ChildTask } from './device-process';

/**
 * The process that owns a device: `ownDevice` of @tilemark/core in a child process
 * (this file), which opens the device. What goes wrong takes this process down and nothing else. It
 * ends with its parent, after a failure, or when killed. The parent's side is `DeviceProcess`.
 *
 * @param threadEntry the bundled program of a thread of the host
 * @param admit makes a contributed kernel known to this process
 */
export async function childMain(
  threadEntry: URL,
  admit: (file: KernelFile) => Promise<unknown>,
): Promise<void> {
  // Ctrl-C reaches the whole process group; the parent decides when to stop.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', () => process.exit(0));
  new Worker(WATCH, { eval: true }).unref();

  const task: ChildTask = JSON.parse(process.argv[2] ?? '{}');
  if (task.kind === 'list') {
    await send({ kind: 'devices', devices: await listDevices() });
    process.exit(0);
  }
  if (task.release !== undefined) useRelease(task.release);
  const opening = async () =>
    openDevice(await chooseDevice(task.device, task.card), task.profile, threadEntry);
  await ownDevice(opening, {
    admit,
    send,
    listen: (take) => process.on('message', take),
    nowNs: () => Number(process.hrtime.bigint()),
    othersLoad,
    end: () => process.exit(1),
  });
}

/** A thread that ends the process without its parent: while a kernel runs on the first, no event says so. */
const WATCH = `setInterval(() => {
  if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL');
}, 1_000)`;

/** Settles once the message has been sent, so that an exit loses nothing. */
function send(message: FromOwner): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) throw new Error('this program is started by the worker, not by hand');
    process.send(message, () => resolve());
  });
}
