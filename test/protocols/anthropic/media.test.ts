// Tests that images and documents are not re-encoded: base64 stays unchanged, and the vendor
// fetches URLs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { text, user } from '../given.ts';
import { sent } from './given.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

describe('media', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'an image in a data URL inline',
      { type: 'image_url', image_url: { url: 'DATA:image/JPG;charset=x;base64,/9j/4A==' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4A==' } },
    ],
    [
      'a remote image as its URL',
      { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    ],
    [
      'an image whose URL is not wrapped',
      { type: 'image_url', image_url: 'https://a.example/b.png' },
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    ],
    [
      'a PDF as a document with its name',
      {
        type: 'file',
        file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'a.pdf',
      },
    ],
    [
      'a file without a type as a PDF',
      { type: 'file', file: { file_data: 'JVBE' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
    ],
    [
      'a text file as text',
      { type: 'file', file: { file_data: 'data:text/plain;base64,Y2Fmw6k=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'café' } },
    ],
    [
      'a remote file as its URL',
      { type: 'file', file: { file_data: 'https://a.example/b.pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
    ],
    [
      'a file that is an image as an image',
      { type: 'file', file: { file_data: png } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ],
  ];
  for (const [what, part, block] of cases) {
    it(`take ${what}`, () => {
      const { messages } = sent({ messages: [user([text('Look.'), part])] });
      assert.deepEqual(messages, [{ role: 'user', content: [text('Look.'), block] }]);
    });
  }
});
