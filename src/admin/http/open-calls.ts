// Aborts calls whose client left, and all open ones when the server closes.

import type { ServerResponse } from 'node:http';

export type OpenCalls = Readonly<{
  /** Aborts when the server closes, or the connection ends before the answer. */
  signalOf: (response: ServerResponse) => AbortSignal;
  abort: () => void;
}>;

export function createOpenCalls(): OpenCalls {
  const open = new Set<AbortController>();
  let isClosing = false;
  return {
    signalOf: (response) => {
      const gone = new AbortController();
      if (isClosing || response.closed) {
        gone.abort();
        return gone.signal;
      }
      open.add(gone);
      response.once('close', () => {
        open.delete(gone);
        // An abort after a complete answer would only cost time.
        if (!response.writableFinished) gone.abort();
      });
      return gone.signal;
    },
    abort: () => {
      isClosing = true;
      for (const gone of open) gone.abort();
    },
  };
}
