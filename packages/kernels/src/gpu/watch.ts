import { DeviceFault, OutOfMemory } from '../errors';

/** Firefox looks for ended work every 100 ms, and at each submission, empty ones too. */
const REMIND_EVERY_MS = 2;

/** Collects the errors that WebGPU reports asynchronously rather than from its calls. */
export class DeviceWatch {
  #fault: DeviceFault | null = null;

  /** @param isAskedRarely whether the runtime looks for ended work so rarely that it has to be reminded */
  constructor(
    readonly device: GPUDevice,
    readonly isAskedRarely = false,
  ) {
    void device.lost.then(({ reason, message }) => {
      this.#fault = new DeviceFault(`the device was lost (${reason}): ${message}`);
    });
  }

  /**
   * Does `work` and waits for WebGPU's validation of it. Throws OutOfMemory,
   * Error if the API rejects a call.
   */
  async scoped<T>(what: string, work: () => T): Promise<T> {
    const { device } = this;
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    const popped = () =>
      this.settled(Promise.all([device.popErrorScope(), device.popErrorScope()]));
    let result: T;
    try {
      result = work();
    } catch (error) {
      // The scopes are a stack: if left open, they would swallow later errors.
      await popped();
      throw error;
    }
    const [invalid, memory] = await popped();
    if (memory) throw new OutOfMemory(`out of GPU memory: ${what}: ${memory.message}`);
    if (invalid) throw new Error(`${what}: ${invalid.message}`);
    return result;
  }

  /** Waits until the device has finished all submitted work. Throws DeviceFault. */
  async idle(): Promise<void> {
    await this.settled(this.device.queue.onSubmittedWorkDone());
  }

  /** Throws DeviceFault if the device is lost; waits one turn first, in case the event is pending. */
  async alive(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (this.#fault) throw this.#fault;
  }

  /** Awaits a promise of the device. Throws DeviceFault if it rejects or the device is lost. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    const remind = () => this.device.queue.submit([]);
    const reminding = this.isAskedRarely ? setInterval(remind, REMIND_EVERY_MS) : undefined;
    try {
      const value = await promise;
      if (this.#fault) throw this.#fault;
      return value;
    } catch (error) {
      if (error instanceof DeviceFault) throw error;
      throw this.#fault ?? new DeviceFault(`the device did not answer: ${String(error)}`);
    } finally {
      clearInterval(reminding);
    }
  }
}
