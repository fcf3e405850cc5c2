// Server-sent events (HTML Standard, section 9.2) that go at the pace of their reader, and the places for those that are open at once.

import { Readable } from 'node:stream';

type Pace = Readonly<{
  /** A reader that takes nothing for so long is cut off. */
  stallMs: number;
  /** Ends it between two frames. */
  signal: AbortSignal;
}>;

/** One frame is asked for when the one before it was taken. A fault of `frames` breaks it off. */
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

/** Where at most so many may be. */
export type Places = Readonly<{
  /** Answers with what gives the place back; null when all are taken. */
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
