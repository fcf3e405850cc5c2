// Limits the time of one request to an endpoint, off the request path.

/** `end` clears the timer and listener, which would otherwise accumulate. */
export function withTimeout(
  timeoutMs: number,
  stopping: AbortSignal,
): Readonly<{ signal: AbortSignal; end: () => void }> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new Error('the request timed out')), timeoutMs);
  const stop = (): void => ending.abort(new Error('stopped'));
  stopping.addEventListener('abort', stop, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  };
  return { signal: ending.signal, end };
}
