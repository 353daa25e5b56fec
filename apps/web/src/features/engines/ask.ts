import { engineOf, messageOf } from '@tilemark/core';
import type { EngineSays, NagaAnswer } from '@tilemark/core/contributed';
import { browserDevice } from '@/features/contributed/problems';
import { findGpu } from '@/features/join/browser-device';
import type { NagaReading } from './naga-thread';

/** What naga has for a text, its download included, ms. */
const WITHIN_MS = 30_000;

type Asked = NagaAnswer & Partial<Pick<NagaReading, 'written'>>;

/** Reads a text by naga, in a thread that is ended where it takes too long. Never throws. */
export async function askNaga(text: string): Promise<Asked> {
  const thread = new Worker(new URL('./naga-thread.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Asked>((resolve, reject) => {
      thread.addEventListener('message', ({ data }: MessageEvent<NagaReading>) => resolve(data));
      thread.addEventListener('error', ({ message }) => reject(new Error(message)));
      setTimeout(() => reject(new Error(`no answer within ${WITHIN_MS / 1000} s`)), WITHIN_MS);
      thread.postMessage(text);
    });
  } catch (error) {
    return { unread: `it cannot read this: ${messageOf(error)}` };
  } finally {
    thread.terminate();
  }
}

/** What this browser’s own compiler says of its engine’s text; null: it has none, or is of no known engine. */
export async function askBrowser(
  texts: Readonly<Record<'naga' | 'tint', string>>,
  lines: number,
): Promise<EngineSays | null> {
  const device = await browserDevice();
  if (typeof device === 'string') return null;
  const engine = engineOf((await findGpu()).identity.runtime);
  if (!engine) return null;
  const code = engine === 'naga' ? texts.naga : texts.tint;
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  const error = messages.find(({ type }) => type === 'error');
  if (!error) return { engine, says: 'compiles', line: null, why: 'compiled in this browser' };
  const line = error.lineNum > 0 && error.lineNum <= lines ? error.lineNum : null;
  return { engine, says: 'refuses', line, why: error.message };
}
