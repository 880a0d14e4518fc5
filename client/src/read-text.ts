/** The default limit of a body: 10 MiB. */
export const MAX_ANSWER_BYTES = 10_485_760;

/** Reads a body. Ends with `undefined` when it has more bytes after decompression, because it could fill the memory. */
export async function readText(answer: Response, maxBytes: number): Promise<string | undefined> {
  // `text` rejects when the body was read already.
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

/** Safari cannot iterate a ReadableStream. The body of node-fetch is a stream of Node.js, which has no reader. */
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
