// Tests that the code in three languages sends the same request as the playground and contains no key.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';

import { codeOf } from '../../code-of-request.ts';

const request = {
  gateway: 'http://127.0.0.1:4000/',
  model: "it's",
  messages: [{ role: 'user', content: 'a "quoted"\nline, é' }],
  temperature: 0.2,
  maxTokens: 100,
} as const;

const textOf = (label: string): string =>
  codeOf(request).find((code) => code.label === label)?.text ?? '';

it('writes a curl command whose body a shell passes on unchanged', () => {
  const printed = textOf('curl').replace(/^curl /u, `printf '%s\\n' `);
  const words = execFileSync('sh', ['-c', printed], { env: { GW_API_KEY: 'key' } }).toString();
  assert.ok(words.startsWith('http://127.0.0.1:4000/v1/chat/completions\n'), words);
  const { model, messages, temperature, maxTokens } = request;
  assert.ok(
    words.includes(JSON.stringify({ model, messages, temperature, max_tokens: maxTokens })),
  );
  assert.ok(words.includes('authorization: Bearer key\n'));
});

it('names the same fields for Python and TypeScript, and leaves out what is not set', () => {
  assert.ok(textOf('Python').includes(`    model="it's",\n    messages=[{"role":"user"`));
  assert.ok(textOf('Python').includes('    temperature=0.2,\n    max_tokens=100,\n'));
  assert.ok(textOf('TypeScript').includes(`  model: "it's",\n  messages: [{"role":"user"`));
  assert.ok(textOf('TypeScript').includes('apiKey: process.env.GW_API_KEY'));
  for (const { text } of codeOf({ ...request, temperature: null, maxTokens: null })) {
    assert.ok(!text.includes('temperature') && !text.includes('max_tokens'), text);
  }
});
