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
    const result = work();
    const [invalid, memory] = await this.settled(
      Promise.all([device.popErrorScope(), device.popErrorScope()]),
    );
    if (memory) throw new DeviceFault(`out of GPU memory: ${what}: ${memory.message}`);
    if (invalid) throw new Error(`${what}: ${invalid.message}`);
    return result;
  }

  /** Waits until the device has finished what was submitted. Throws DeviceFault. */
  async idle(): Promise<void> {
    await this.settled(this.device.queue.onSubmittedWorkDone());
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
