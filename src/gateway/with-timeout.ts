// A time limit for one question to an endpoint, off the request path.

/** A timer that ends with the question: one that does not would be kept for every question asked. */
export function withTimeout(
  timeoutMs: number,
  stopping: AbortSignal,
): Readonly<{ signal: AbortSignal; end: () => void }> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new Error('no answer in time')), timeoutMs);
  const stop = (): void => ending.abort(new Error('stopped'));
  stopping.addEventListener('abort', stop, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  };
  return { signal: ending.signal, end };
}
