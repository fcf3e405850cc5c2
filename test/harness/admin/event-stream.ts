// Reads the event stream of the history frame by frame, with the position to resume after.

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

export function openStream({ url, cookie, query = '', lastEventId, signal }: Asked) {
  const held = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return fetch(`${url}/admin/history/stream${query}`, {
    headers: { cookie: `gw_session=${cookie}`, ...held },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Yields the events until the stream ends. Leaving the loop closes the connection. */
async function* eventsOf(response: Response): AsyncGenerator<ReadEvent, void, undefined> {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  let text = '';
  for await (const bytes of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += bytes;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
      if (data === undefined) assert.match(frame, /^(?::|retry: \d+)$/);
      else {
        const event = cloudEventSchema.parse(JSON.parse(data));
        assert.equal(event.id, id);
        yield event;
      }
    }
  }
}

/** Reads the first `count` events, or fewer if the stream ends. */
export async function take(response: Response, count: number): Promise<readonly ReadEvent[]> {
  const taken: ReadEvent[] = [];
  for await (const event of eventsOf(response)) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
