import { DeviceFault } from '../errors';

/** Watches a device for the errors WebGPU reports apart from its calls. */
export class DeviceWatch {
  #fault: DeviceFault | null = null;

  constructor(readonly device: GPUDevice) {
    void device.lost.then(({ reason, message }) => {
      this.#fault = new DeviceFault(`the device was lost (${reason}): ${message}`);
    });
  }

  /**
   * Does `work` and waits for what WebGPU has to say about it. Throws
   * DeviceFault when memory ran out, Error for a use that the API refuses.
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
      // The scopes are a stack: left open, they would swallow the errors of whoever comes next.
      await popped();
      throw error;
    }
    const [invalid, memory] = await popped();
    if (memory) throw new DeviceFault(`out of GPU memory: ${what}: ${memory.message}`);
    if (invalid) throw new Error(`${what}: ${invalid.message}`);
    return result;
  }

  /** Waits until the device has finished what was submitted. Throws DeviceFault. */
  async idle(): Promise<void> {
    await this.settled(this.device.queue.onSubmittedWorkDone());
  }

  /** Throws DeviceFault when the device is gone; waits a turn, because the news may be on its way. */
  async alive(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (this.#fault) throw this.#fault;
  }

  /** Awaits a promise of the device. Throws DeviceFault when it rejects or the device is gone. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise;
      if (this.#fault) throw this.#fault;
      return value;
    } catch (error) {
      if (error instanceof DeviceFault) throw error;
      throw this.#fault ?? new DeviceFault(`the device gave no answer: ${String(error)}`);
    }
  }
}
