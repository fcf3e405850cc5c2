// Tests that images, audio and files are sent inline without re-encoding, and that references are
// refused.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { text, user } from '../given.ts';
import { inline, refused, sent } from './given.ts';

const image = (url: unknown) => ({ type: 'image_url', image_url: url });
const audio = (format: string) => ({
  type: 'input_audio',
  input_audio: { data: 'UklGRg==', format },
});
const file = (given: object) => ({ type: 'file', file: given });

describe('media', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'an image',
      image({ url: 'DATA:image/JPG;charset=x;base64,/9j/4A==', detail: 'low' }),
      inline('image/jpeg', '/9j/4A=='),
    ],
    [
      'an image whose URL is not wrapped',
      image('data:image/png;base64,AA=='),
      inline('image/png', 'AA=='),
    ],
    [
      'an image of a newer type',
      image({ url: 'data:image/heic;base64,AA==' }),
      inline('image/heic', 'AA=='),
    ],
    ['audio', audio('wav'), inline('audio/wav', 'UklGRg==')],
    ['audio of the other format', audio('MP3'), inline('audio/mp3', 'UklGRg==')],
    [
      'a PDF',
      file({ file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' }),
      inline('application/pdf', 'JVBE'),
    ],
    [
      'a file without a type as a PDF',
      file({ file_data: 'JVBE' }),
      inline('application/pdf', 'JVBE'),
    ],
    [
      'a text file',
      file({ file_data: 'data:text/plain;base64,Y2Fmw6k=' }),
      inline('text/plain', 'Y2Fmw6k='),
    ],
  ];
  for (const [what, part, expected] of cases) {
    it(`take ${what} inline`, () => {
      const { contents } = sent({ messages: [user([text('Look.'), part])] });
      assert.deepEqual(contents, [{ role: 'user', parts: [{ text: 'Look.' }, expected] }]);
    });
  }
});

const remote = (what: string) =>
  `a backend of protocol gemini does not support remote ${what}: send them inline, as a base64 data: URL`;
const named = 'messages[0].content[0] must be a base64 data: URL with a media type';

describe('media that cannot be sent', () => {
  const cases: readonly (readonly [object, number, string])[] = [
    [image({ url: 'https://a.example/b.png' }), 501, remote('images')],
    [image({ url: 'http://a.example/b.png' }), 501, remote('images')],
    [image({ url: 'gs://bucket/b.png' }), 501, remote('images')],
    [file({ file_data: 'https://a.example/b.pdf' }), 501, remote('files')],
    [
      file({ file_id: 'file-1' }),
      501,
      'a backend of protocol gemini does not support files referenced by id',
    ],
    [image({ url: 'data:image/png,abc' }), 400, named],
    [image({ url: 'data:;base64,AA==' }), 400, named],
    [image({ url: 'b.png' }), 400, named],
    [
      audio('wav; x'),
      400,
      'messages[0].content[0].input_audio.format must be the name of an audio format',
    ],
  ];
  for (const [part, status, message] of cases) {
    it(`is a ${status}: ${JSON.stringify(part).slice(0, 70)}`, () => {
      const refusal = refused({ messages: [user([part])] });
      assert.deepEqual([refusal.status, refusal.message], [status, message]);
      assert.deepEqual(refusal.headers, status === 501 ? ['x-should-retry', 'false'] : []);
    });
  }
});
