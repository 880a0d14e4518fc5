/** 10 MiB. */
export const MAX_ANSWER_BYTES = 10_485_760;

/** Ends with `undefined` for a body of more bytes after decompression: it could fill the memory. */
export async function readText(answer: Response, maxBytes: number): Promise<string | undefined> {
  // `text` rejects a body that was read.
  if (!answer.body || answer.bodyUsed) return answer.text();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of chunksOf(answer.body)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Safari cannot iterate a ReadableStream. node-fetch gives a stream of Node.js, without a reader. */
async function* chunksOf(body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!('getReader' in body)) {
    yield* body;
    return;
  }
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
