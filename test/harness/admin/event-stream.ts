// Reads event streams of the admin API frame by frame, and that of the history as its events.

import assert from 'node:assert/strict';

import { z } from 'zod';

export const cloudEventSchema = z.strictObject({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.iso.datetime(),
  datacontenttype: z.literal('application/json'),
  data: z.looseObject({ position: z.int(), stream: z.string(), type: z.string() }),
});
type ReadEvent = z.output<typeof cloudEventSchema>;

type Asked = Readonly<{
  url: string;
  cookie: string;
  query?: string;
  lastEventId?: string;
  signal?: AbortSignal;
}>;

/** Opens the stream at a path of the admin API. */
export function openStreamAt(
  path: string,
  { url, cookie, query = '', lastEventId, signal }: Asked,
): Promise<Response> {
  const held = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return fetch(`${url}${path}${query}`, {
    headers: { cookie: `gw_session=${cookie}`, ...held },
    ...(signal === undefined ? {} : { signal }),
  });
}

export const openStream = (asked: Asked): Promise<Response> =>
  openStreamAt('/admin/history/stream', asked);

/** `data` is parsed JSON. A keep-alive has the event `keep-alive`. */
export type Frame = Readonly<{ event: string; id: string; data: unknown }>;

/** Yields the frames until the stream ends. Leaving the loop closes the connection. */
export async function* framesOf(response: Response): AsyncGenerator<Frame, void, undefined> {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  let text = '';
  for await (const piece of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.startsWith(':')) yield { event: 'keep-alive', id: '', data: null };
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
      const data = field('data');
      if (data === undefined) assert.match(frame, /^(?::|retry: \d+)$/);
      else
        yield { event: field('event') ?? 'message', id: field('id') ?? '', data: JSON.parse(data) };
    }
  }
}

/** The first frames that are not keep-alives, or fewer if the stream ends. */
export async function takeFrames(response: Response, count: number): Promise<readonly Frame[]> {
  const taken: Frame[] = [];
  for await (const frame of framesOf(response)) {
    if (frame.event === 'keep-alive') continue;
    taken.push(frame);
    if (taken.length === count) break;
  }
  return taken;
}

/** Reads the first `count` events of the history, or fewer if the stream ends. */
export async function take(response: Response, count: number): Promise<readonly ReadEvent[]> {
  return (await takeFrames(response, count)).map(({ id, data }) => {
    const event = cloudEventSchema.parse(data);
    assert.equal(event.id, id);
    return event;
  });
}
