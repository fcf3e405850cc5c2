// Tests that no reader throws on damaged upstream events, and that the client's stream stays
// readable and ends. GW_TEST_MUTATED_EVENTS sets the number of events (`npm run test:soak`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { anthropic } from '../../src/protocols/anthropic/anthropic.ts';
import { gemini } from '../../src/protocols/gemini/gemini.ts';
import {
  messagesAsTheyAre,
  messagesOfChat,
  messagesOver,
} from '../../src/protocols/messages/messages.ts';
import type { AnswerTranslation } from '../../src/protocols/translation.ts';
import * as anthropicEvents from './anthropic/events.ts';
import * as geminiEvents from './gemini/events.ts';
import { everything as chatEvents } from './messages/everything.ts';
import { options } from './messages/given.ts';
import { diceOf, mutated } from './mutate.ts';

const eventsMax = Number(process.env['GW_TEST_MUTATED_EVENTS'] ?? 20_000);

type Case = Readonly<{ what: string; translation: AnswerTranslation; end: RegExp }>;

const endOfChat = /data: \[DONE\]\n\n$/;
const endOfMessage = /^event: (?:message_stop|error)\ndata: .*\n\n$/m;

const cases: readonly Case[] = [
  { what: 'anthropic as chat', translation: anthropic, end: endOfChat },
  { what: 'gemini as chat', translation: gemini, end: endOfChat },
  { what: 'chat as messages', translation: messagesOfChat(options), end: endOfMessage },
  { what: 'gemini as messages', translation: messagesOver(gemini, options), end: endOfMessage },
  {
    what: 'anthropic as messages',
    translation: messagesOver(anthropic, options),
    end: endOfMessage,
  },
  { what: 'messages as they are', translation: messagesAsTheyAre(options), end: /^/ },
];

function eventsFor(what: string): Buffer {
  if (what.startsWith('gemini')) return geminiEvents.everything;
  return what.startsWith('chat') ? chatEvents : anthropicEvents.everything;
}

describe('damaged events', () => {
  for (const { what, translation, end } of cases) {
    it(`of ${what} leave a stream that can be read`, () => {
      const frames = eventsFor(what)
        .toString()
        .split(/(?<=\n\n)/);
      let tried = 0;
      for (let seed = 0; tried < eventsMax / cases.length; seed++) {
        const dice = diceOf(seed);
        const { bytes, count } = mutated(frames, dice);
        tried += count;
        const stream = translation.openStream({
          requestId: 'request-1',
          model: 'm',
          created: 0,
          singleToolCall: seed % 2 === 0,
          includesUsage: seed % 3 === 0,
        });
        const at = dice(bytes.length + 1);
        const told = Buffer.concat([
          stream.push(bytes.subarray(0, at)),
          stream.push(bytes.subarray(at)),
          stream.end(),
        ]);
        assert.match(told.toString(), end, `seed ${seed}`);
        assert.equal(stream.isClean, stream.failedStatus === null, `seed ${seed}`);
        if (!stream.isClean) assert.equal(stream.usage, null, `seed ${seed}`);
      }
    });
  }
});
