const HIDDEN_MS = 1500;

/**
 * Does something while the page is looked at, each time after as many milliseconds as it says; undefined: it is done.
 * @returns a function that stops it
 */
export function again(run: (signal: AbortSignal) => Promise<number | undefined>, firstMs = 0): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const next = async (): Promise<void> => {
    const afterMs = document.hidden ? HIDDEN_MS : await run(signal);
    if (!signal.aborted && afterMs !== undefined) timer = setTimeout(() => void next(), afterMs);
  };
  let timer = setTimeout(() => void next(), firstMs);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
