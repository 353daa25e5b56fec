import { init, NagaError, parseWgsl, validate, writeHlsl, writeMsl } from 'naga-wasm';

/** The program of a Web Worker that reads WGSL as Firefox does: what a text does to it ends this and no tab. */

/** What naga says of a text, and what it makes of one that it takes: its languages by their names. */
export interface NagaReading {
  readonly report: string;
  readonly written: Readonly<Record<string, string>>;
}

interface Scope {
  postMessage(reading: NagaReading): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<string>) => void): void;
}
const scope = globalThis as unknown as Scope;

function reading(text: string): NagaReading {
  try {
    const module = parseWgsl(text);
    const info = validate(module);
    const written = { MSL: writeMsl(module, info), HLSL: writeHlsl(module, info) };
    return { report: '', written };
  } catch (error) {
    // Anything else is a fault of naga's own, which ends the thread.
    if (!(error instanceof NagaError)) throw error;
    return { report: error.formatted, written: {} };
  }
}

scope.addEventListener('message', async ({ data }) => {
  await init();
  scope.postMessage(reading(data));
});
