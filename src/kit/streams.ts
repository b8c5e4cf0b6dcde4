/** A stream of what is iterated, at the pace of its reader. */
export function streamOf<T>(source: AsyncIterable<T>): ReadableStream<T> {
  const items = source[Symbol.asyncIterator]();
  return new ReadableStream<T>({
    async pull(controller) {
      const next = await items.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await items.return?.();
    },
  });
}

/** What a stream gives, cancelled when it is left early: not every browser can iterate streams. */
export async function* eachOf<T>(stream: ReadableStream<T>): AsyncGenerator<T, void> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
