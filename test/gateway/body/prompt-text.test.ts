// Which text of a request it is classified by.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { promptText } from '../../../src/gateway/body/prompt-text.ts';
import { routeAt } from '../../../src/gateway/routes.ts';

function textOf(path: string, body: unknown): string | null {
  const route = routeAt(path);
  assert.ok(route !== undefined);
  return promptText(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), 0, route);
}

const chat = (...messages: readonly unknown[]): string | null =>
  textOf('/chat/completions', { model: 'm', messages });
const user = (content: unknown) => ({ role: 'user', content });
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'no' }] };

describe('the text that a prompt is classified by', () => {
  it('is the last that the user said, whatever others said before and after', () => {
    const system = { role: 'system', content: 'You cook.' };
    const assistant = { role: 'assistant', content: 'Salt?' };
    const tool = { role: 'tool', content: 'done', tool_call_id: 'x' };
    assert.equal(chat(system, user('first'), assistant, user('last'), assistant, tool), 'last');
    assert.equal(chat(system, assistant), null);
  });

  const cases: readonly (readonly [
    what: string,
    path: string,
    body: unknown,
    text: string | null,
  ])[] = [
    [
      'a role after its content',
      '/chat/completions',
      { messages: [{ content: 'x', role: 'user' }] },
      'x',
    ],
    [
      'parts',
      '/chat/completions',
      { messages: [user([{ type: 'text', text: 'a' }, image, { text: 'b', type: 'text' }])] },
      'a\nb',
    ],
    ['an image alone', '/chat/completions', { messages: [user('old'), user([image])] }, null],
    ['blank text', '/chat/completions', { messages: [user(' \n')] }, null],
    ['no content', '/chat/completions', { messages: [user(null)] }, null],
    ['no messages', '/chat/completions', { messages: [] }, null],
    ['messages that are none', '/chat/completions', { messages: [1, 'x', null] }, null],
    [
      'escapes',
      '/chat/completions',
      '{"messages":[{"role":"user","content":"a\\u00e9\\n\\"\\\\"}]}',
      'aé\n"\\',
    ],
    [
      'the Messages API',
      '/messages',
      { messages: [user([{ type: 'text', text: 'a' }])], system: 's' },
      'a',
    ],
    ['results of tools', '/messages', { messages: [user('ask'), user([result])] }, 'ask'],
    [
      'results with words',
      '/messages',
      { messages: [user('ask'), user([result, { type: 'text', text: 'go' }])] },
      'go',
    ],
    ['a completion', '/completions', { prompt: 'once' }, 'once'],
    ['several prompts', '/completions', { prompt: ['once', 'twice'] }, 'once\ntwice'],
    ['a prompt of tokens', '/completions', { prompt: [1, 2] }, null],
    ['a response', '/responses', { input: 'why' }, 'why'],
    [
      'a response of items',
      '/responses',
      {
        input: [
          user([{ type: 'input_text', text: 'why' }]),
          { type: 'function_call_output', output: 'x' },
        ],
      },
      'why',
    ],
    ['embeddings', '/embeddings', { input: 'why' }, null],
    ['moderations', '/moderations', { input: 'why' }, null],
  ];
  for (const [what, path, body, text] of cases) {
    it(`is ${JSON.stringify(text)} of ${what}`, () => assert.equal(textOf(path, body), text));
  }

  it('is no longer than what is read of it, and no character is cut in two', () => {
    for (const unit of ['a', 'é', '語', '🙂', '\n', '"', '\\']) {
      for (const lead of ['x', 'xx', 'xxx', 'xxxx']) {
        const text = lead + unit.repeat(15_000);
        const read = chat(user(text));
        assert.equal(read, text.slice(0, 2_000));
      }
    }
    const escaped = `{"messages":[{"role":"user","content":"x${'\\u00e9'.repeat(9_000)}"}]}`;
    assert.equal(textOf('/chat/completions', escaped), `x${'é'.repeat(1_999)}`);
  });
});
