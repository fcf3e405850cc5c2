// Translates requests of the Responses API to chats, and answers of chat backends to responses.

import assert from 'node:assert/strict';

import type { Chat } from '../../../src/protocols/chat.ts';
import { isObject, listOf, objectOf, parseJson } from '../../../src/protocols/json.ts';
import type { JsonObject } from '../../../src/protocols/json.ts';
import { isProtocolRefusal } from '../../../src/protocols/refusal.ts';
import { readResponsesRequest } from '../../../src/protocols/responses/read-request.ts';
import type { ResponseOptions } from '../../../src/protocols/responses/response-writer.ts';
import type { Signer } from '../../../src/protocols/responses/seal.ts';
import { SseDecoder } from '../../../src/protocols/sse.ts';
import type { TranslatedStream } from '../../../src/protocols/translation.ts';
import { through } from '../messages/given.ts';

export const signer: Signer = { protocol: 'anthropic', model: 'up' };

export const options: ResponseOptions = {
  requestId: 'request-1',
  model: 'house',
  created: 1_700_000_000,
  echo: {},
  names: new Map([['patch', { name: 'patch', namespace: null, isCustom: true }]]),
  signer,
};

const bodyOf = (asked: JsonObject): Buffer =>
  Buffer.from(JSON.stringify({ model: 'house', input: 'Hi', ...asked }));

export function read(asked: JsonObject, by: Signer = signer): Chat {
  const request = readResponsesRequest(bodyOf(asked), by);
  assert.ok(!isProtocolRefusal(request), JSON.stringify(request));
  return request.chat;
}

export function refused(asked: JsonObject) {
  const refusal = readResponsesRequest(bodyOf(asked), signer);
  assert.ok(isProtocolRefusal(refusal), 'the request was read');
  return refusal;
}

export function told(stream: TranslatedStream, pieces: readonly Buffer[]) {
  const bytes = through(stream, pieces);
  const events = new SseDecoder().push(bytes).map(({ name, data }) => {
    const event = parseJson(data);
    assert.ok(isObject(event) && event['type'] === name, data);
    return event;
  });
  return { bytes, events, isClean: stream.isClean, usage: stream.usage };
}

const endings = /^response\.(completed|incomplete|failed)$/;

/** Checks the invariants that clients rely on, and returns the last response. */
export function lastResponse(events: readonly JsonObject[]): JsonObject {
  assert.deepEqual(
    events.map((event) => event['sequence_number']),
    events.map((_, index) => index),
  );
  const responses = events
    .map((event) => objectOf(event, 'response'))
    .filter((one) => one !== null);
  assert.equal(new Set(responses.map(({ id }) => id)).size, 1);
  const added = itemsOf(events, 'response.output_item.added');
  const done = itemsOf(events, 'response.output_item.done');
  assert.deepEqual(
    [...added.keys()],
    [...added.keys()].toSorted((a, b) => Number(a) - Number(b)),
  );
  for (const [index, item] of done) assert.equal(item['id'], added.get(index)?.['id']);
  const ends = events.filter(({ type }) => endings.test(String(type)));
  assert.deepEqual(ends, events.slice(-1));
  const last = responses.at(-1) ?? {};
  if (last['status'] !== 'failed') assert.equal(done.size, added.size);
  const output = [...done].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  assert.deepEqual(listOf(last, 'output'), output);
  return last;
}

function itemsOf(events: readonly JsonObject[], type: string): ReadonlyMap<unknown, JsonObject> {
  const items = events.filter((event) => event['type'] === type);
  const byIndex = new Map(
    items.map((event) => [event['output_index'], objectOf(event, 'item') ?? {}]),
  );
  assert.equal(byIndex.size, items.length);
  return byIndex;
}
