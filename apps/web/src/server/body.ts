import { HttpProblem } from './problem';
import { checkName, checkText } from './text';

const MAX_BODY_BYTES = 1_000_000;

/** Reads a body piece by piece and stops at the limit, whatever its headers promised. */
async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = () => new HttpProblem(413, `Send at most ${maxBytes / 1e6} MB.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  if (!request.body) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The JSON body of a request. Throws 415 for another media type, 413 over the limit, 400 for broken JSON. */
export async function readJson(request: Request, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpProblem(415, 'Send the body as application/json.');
  }
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text, checkEntry);
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpProblem(400, `The body is not JSON: ${reason}`, 'body');
  }
}

function checkEntry(key: string, value: unknown): unknown {
  checkName(key);
  if (typeof value === 'string') checkText(value, key);
  return value;
}
