// Builds chats for a backend of protocol anthropic, and its answers.

import { anthropic } from '../../../src/protocols/anthropic/anthropic.ts';
import { given } from '../given.ts';

const names = { upstream: 'claude-opus-4-8', asked: 'claude-asked' };

export const { translate, sent, refused, answered, streamed } = given(
  'anthropic',
  anthropic,
  names,
);
