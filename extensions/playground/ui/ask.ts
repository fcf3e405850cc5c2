// Sends one chat through the gateway and yields the frames of the response.

import { createFrameReader } from '../../../ui/api/http/event-frames.ts';
import type { Frame } from '../../../ui/api/http/event-frames.ts';
import { open } from '../../../ui/api/http/call.ts';
import type { BodyOf } from '../../../ui/api/http/routes.ts';

export type Chat = BodyOf<'POST', '/admin/playground'>;

/** Rejects with an ApiFailure if the gateway was not reached. A refusal of the gateway is a response. */
export async function* askPlayground(chat: Chat, signal: AbortSignal): AsyncGenerator<Frame> {
  const response = await open('POST', '/admin/playground', { body: chat, signal });
  const read = createFrameReader();
  const pieces = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const piece of pieces) yield* read(piece);
}
