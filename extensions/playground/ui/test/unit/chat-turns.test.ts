// Tests the messages that a chat sends, and that an unanswered message is not lost.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { messagesOf, promptAgain, turnsWith } from '../../chat-turns.ts';

const hello = { role: 'user', content: 'Hello' } as const;

it('sends earlier messages after the system prompt, if there is one', () => {
  const turns = turnsWith({ turns: [hello], answer: 'Hi', prompt: 'More' });
  assert.deepEqual(
    turns.map(({ role, content }) => `${role}: ${content}`),
    ['user: Hello', 'assistant: Hi', 'user: More'],
  );
  assert.deepEqual(turnsWith({ turns: [], answer: '', prompt: 'Hello' }), [hello]);
  assert.deepEqual(messagesOf(' ', [hello]), [hello]);
  assert.deepEqual(messagesOf(' short ', [hello])[0], { role: 'system', content: 'short' });
});

it('a message that came to nothing stands in its field again, unless another is typed', () => {
  assert.equal(promptAgain({ turns: [hello], answer: '', prompt: '' }), 'Hello');
  assert.equal(promptAgain({ turns: [hello], answer: '', prompt: 'Or' }), 'Or');
  assert.equal(promptAgain({ turns: [hello], answer: 'Hi', prompt: '' }), '');
  assert.deepEqual(turnsWith({ turns: [hello], answer: '', prompt: 'Hello' }), [hello]);
});
