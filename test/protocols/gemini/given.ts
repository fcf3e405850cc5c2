// Builds chats for a backend of protocol gemini, and its answers.

import { gemini } from '../../../src/protocols/gemini/gemini.ts';
import { given } from '../given.ts';

const names = { upstream: 'gemini-3-flash-preview', asked: 'gemini-asked' };

export const { translate, sent, refused, answered, streamed } = given('gemini', gemini, names);

export const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
