import { createServer } from 'node:http';
import { InputError } from '@tilemark/kernels';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type RunInput, Runner, type RunOptions, type RunReport } from '../child/runner';

const HOST = '127.0.0.1';

/** One worker's metrics for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #runs = new Counter({
    name: 'tilemark_worker_runs_total',
    help: 'Runs that ended, by outcome',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'tilemark_worker_run_seconds',
    help: 'Duration of a run, compiling and verifying included',
    buckets: [0.5, 1, 2, 5, 10, 20, 40, 80],
    registers: [this.#registry],
  });
  readonly #running = new Gauge({
    name: 'tilemark_worker_running',
    help: '1 while a run is in progress',
    registers: [this.#registry],
  });

  /** Counts a run; one that is handed back has not ended and does not count. */
  async count(run: () => Promise<RunReport>): Promise<RunReport> {
    const startedMs = performance.now();
    this.#running.set(1);
    try {
      const report = await run();
      this.#runs.inc({ outcome: report.outcome.kind });
      this.#seconds.observe((performance.now() - startedMs) / 1_000);
      return report;
    } finally {
      this.#running.set(0);
    }
  }

  /**
   * Serves `/metrics` on loopback; resolves to what ends that. Throws InputError for a
   * port that is not a port, or is in use.
   */
  async listen(port: string): Promise<() => void> {
    if (!/^\d+$/.test(port) || Number(port) > 65_535) {
      throw new InputError(`'${port}' is not a port: give a number from 0 to 65535`, '--metrics');
    }
    const server = createServer((request, response) => {
      if (request.url !== '/metrics') return void response.writeHead(404).end();
      this.#registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': this.#registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', ({ message }) => reject(new InputError(message, '--metrics')));
      server.listen(Number(port), HOST, resolve);
    });
    return () => {
      server.close();
      server.closeAllConnections();
    };
  }
}

/** A runner whose runs are counted. */
export class MeteredRunner extends Runner {
  readonly #metrics: Metrics;

  constructor(options: ConstructorParameters<typeof Runner>[0], metrics: Metrics) {
    super(options);
    this.#metrics = metrics;
  }

  override run(input: RunInput, options?: RunOptions): Promise<RunReport> {
    return this.#metrics.count(() => super.run(input, options));
  }
}
