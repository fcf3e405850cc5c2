// Streams server-sent events (HTML Standard, section 9.2) at the pace of the reader, and limits
// concurrent streams.

import { Readable } from 'node:stream';

type Pace = Readonly<{
  /** Disconnects a reader that accepts nothing for this long. */
  stallMs: number;
  /** Aborting ends the stream between two frames. */
  signal: AbortSignal;
}>;

/**
 * Requests the next frame only after the reader accepted the last one. An error of `frames` breaks
 * the stream.
 */
export function eventStream(frames: AsyncIterable<string>, { stallMs, signal }: Pace): Readable {
  let stalled: NodeJS.Timeout | undefined;
  async function* paced(): AsyncGenerator<string, void, undefined> {
    for await (const frame of frames) {
      if (signal.aborted) return;
      stalled = setTimeout(() => stream.destroy(), stallMs);
      yield frame;
      clearTimeout(stalled);
    }
  }
  const stream = Readable.from(paced());
  stream.once('close', () => clearTimeout(stalled));
  return stream;
}

export type Places = Readonly<{
  /** Returns a function that releases the slot. Null if all slots are taken. */
  take: () => (() => void) | null;
}>;

export function createPlaces(max: number): Places {
  let taken = 0;
  return {
    take: () => {
      if (taken >= max) return null;
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
}
