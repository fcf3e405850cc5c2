// An uploaded form is seen as other readers see it, and refused where they could differ.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { partHeadBytesMax, partsMax } from '../../../src/gateway/body/multipart.ts';
import { modelBytesMax, peekForm } from '../../../src/gateway/body/peek-form.ts';
import { isPeekRefusal } from '../../../src/gateway/body/peek.ts';
import type { PeekedForm, PeekRefusal } from '../../../src/gateway/body/peek.ts';
import { spliceBody } from '../../../src/gateway/body/splice.ts';
import { readByNode, writeForm } from '../../harness/bytes/forms.ts';
import type { FormPart } from '../../harness/bytes/forms.ts';

const boundary = 'X-BOUNDARY';
const model: FormPart = { head: 'content-disposition: form-data; name="model"', content: 'm' };
const file: FormPart = {
  head: 'Content-Disposition: form-data; name="file"; filename="a.mp3"\r\ncontent-type: audio/mpeg',
  content: 'ID3\r\n--\r\n\0\xff',
};
const field = (name: string, content: string): FormPart => ({
  head: `content-disposition: form-data; name="${name}"`,
  content,
});

const many = (count: number) => Array.from({ length: count }, () => field('x', ''));

const peekText = (text: string) => peekForm(Buffer.from(text, 'latin1'), boundary);
const peekParts = (...parts: FormPart[]) => peekForm(writeForm(boundary, parts), boundary);

function accepted(result: PeekedForm | PeekRefusal): PeekedForm {
  assert.ok(!isPeekRefusal(result), `refused: ${JSON.stringify(result)}`);
  return result;
}

function refused(result: PeekedForm | PeekRefusal, what: string): PeekRefusal {
  assert.ok(isPeekRefusal(result), `accepted: ${what}`);
  return result;
}

describe('the model of a form', () => {
  it('is found before and after the upload', () => {
    assert.equal(accepted(peekParts(model, file)).model, 'm');
    assert.equal(accepted(peekParts(file, model)).model, 'm');
    assert.equal(accepted(peekParts(field('prompt', ''), file, model)).model, 'm');
  });

  it('is not what a file is called, or what the upload says', () => {
    const named = 'content-disposition: form-data; name="file"; filename="model"';
    const inside = 'content-disposition: form-data; name="model"\r\n\r\nforged';
    const result = accepted(peekParts({ head: named, content: inside }, model));
    assert.equal(result.model, 'm');
  });

  it('may come as other clients write it', () => {
    const heads = [
      'Content-Disposition: form-data; name=model',
      'content-disposition:form-data;name="model"',
      'CONTENT-DISPOSITION: Form-Data; NAME="model"',
      'content-disposition: form-data; name="model"\r\ncontent-type: text/plain; charset=UTF-8',
      'content-disposition: form-data; name="model"\r\ncontent-transfer-encoding: 8bit',
      'content-length: 1\r\ncontent-disposition: form-data; name="model"',
    ];
    for (const head of heads) {
      assert.equal(accepted(peekParts({ head, content: 'm' }, file)).model, 'm', head);
    }
  });

  it('may be beyond ASCII', () => {
    const content = Buffer.from('modèle').toString('latin1');
    assert.equal(accepted(peekParts(field('model', content))).model, 'modèle');
  });

  it('is given, as text, and not too long', () => {
    const bad: readonly (readonly [string, FormPart[]])[] = [
      ['none', [file]],
      ['empty', [field('model', ''), file]],
      ['too long', [field('model', 'm'.repeat(modelBytesMax + 1))]],
      ['not UTF-8', [field('model', '\xff')]],
      ['two lines', [field('model', 'm\r\nn')]],
      ['another type', [{ ...model, head: `${model.head}\r\ncontent-type: application/json` }]],
      [
        'another charset',
        [{ ...model, head: `${model.head}\r\ncontent-type: text/plain;charset=utf-7` }],
      ],
      ['encoded', [{ ...model, head: `${model.head}\r\ncontent-transfer-encoding: base64` }]],
    ];
    for (const [what, parts] of bad) {
      const { param, ambiguous } = refused(peekParts(...parts), what);
      assert.deepEqual([param, ambiguous], ['model', false], what);
    }
    const longest = 'm'.repeat(modelBytesMax);
    assert.equal(accepted(peekParts(field('model', longest))).model, longest);
  });

  it('is ambiguous when it is given twice, as a file, or by a name that is nearly its own', () => {
    const alike = [
      'MODEL',
      'Model',
      ' model',
      'model ',
      "'model'",
      'model[]',
      'model[0]',
      'mod%65l',
    ];
    for (const name of alike) {
      assert.equal(refused(peekParts(model, field(name, 'n')), name).ambiguous, true, name);
    }
    const asFile = { head: `${model.head}; filename=""`, content: 'n' };
    const extended = { head: `${model.head}; filename*=utf-8''a`, content: 'n' };
    for (const parts of [[model, model], [asFile], [extended], [model, asFile]]) {
      assert.equal(refused(peekParts(...parts), 'twice or a file').ambiguous, true);
    }
    const stream = Buffer.from('\u017Ftream').toString('latin1');
    assert.equal(refused(peekParts(model, field(stream, '1')), 'folded').ambiguous, true);
    assert.equal(
      accepted(peekParts(model, field('models', 'n'), field('submodel', 'n'))).model,
      'm',
    );
  });
});

describe('the stream flag of a form', () => {
  it('is true or false, or absent', () => {
    const flags = [
      ['true', true],
      ['True', true],
      ['1', true],
      ['false', false],
      ['FALSE', false],
      ['0', false],
    ] as const;
    for (const [text, isStream] of flags) {
      assert.equal(accepted(peekParts(model, field('stream', text))).isStream, isStream, text);
    }
    assert.equal(accepted(peekParts(model)).isStream, false);
    for (const text of ['', 'yes', 'on', ' true', 'null', 'truetrue!']) {
      assert.equal(refused(peekParts(model, field('stream', text)), text).param, 'stream');
    }
  });
});

describe('the size of a form', () => {
  it('is that of its text: what is uploaded counts for nothing', () => {
    const small = writeForm(boundary, [model, { ...file, content: '' }]).length;
    const large = accepted(peekParts(model, { ...file, content: 'x'.repeat(100_000) }));
    assert.equal(large.promptEstimate, Math.ceil(small / 4));
  });
});

describe('a form is refused', () => {
  const whole = writeForm(boundary, [model, file]).toString('latin1');

  it('when its framing is not exactly that of its boundary', () => {
    const damaged: Readonly<Record<string, string>> = {
      empty: '',
      'text before the first part': `preamble\r\n${whole}`,
      'text after the last part': `${whole}epilogue`,
      'a second form after the first': `${whole}${whole}`,
      'no last boundary': whole.slice(0, -'--\r\n'.length),
      'a cut last boundary': whole.slice(0, -'-\r\n'.length),
      'line feeds alone': whole.replaceAll('\r\n', '\n'),
      'a line feed alone before a boundary': whole.replace('m\r\n--X', 'm\n--X'),
      'a space after a boundary': whole.replace('--X-BOUNDARY\r\n', '--X-BOUNDARY \r\n'),
      'other text after a boundary': whole.replace('ID3', 'ID3\r\n--X-BOUNDARYa'),
      'the boundary in a line': whole.replace('ID3', 'ID3 --X-BOUNDARY'),
      'another boundary': whole.replaceAll('X-BOUNDARY', 'Y-BOUNDARY'),
      'no parts': '--X-BOUNDARY--\r\n',
      'only the boundary': '--X-BOUNDARY',
    };
    for (const [what, text] of Object.entries(damaged)) refused(peekText(text), what);
    assert.equal(accepted(peekText(`\r\n${whole.slice(0, -2)}`)).model, 'm');
  });

  it('when the head of a part is not plain', () => {
    const heads = [
      '',
      'name="model"',
      'content-type: text/plain',
      'content-disposition: attachment; name="model"',
      'content-disposition: form-data',
      'content-disposition: form-data; filename="a"',
      'content-disposition: form-data; name="model',
      'content-disposition: form-data; name="mo\\del"',
      'content-disposition: form-data; name="a"; name="model"',
      'content-disposition: form-data; name="a"; name*=utf-8\'\'model',
      'content-disposition: form-data; name="a"; filename="b\\"; name=\\"model"',
      'content-disposition: form-data;\r\n name="model"',
      'content-disposition : form-data; name="model"',
      'content-disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="model"',
      'content-disposition: form-data; name="model"\0',
      'content-disposition: form-data; name="a"\rx: y',
    ];
    for (const head of heads) refused(peekParts(model, { head, content: 'n' }), head);
  });

  it('when it has too many parts, or too long a head', () => {
    accepted(peekParts(model, ...many(partsMax - 1)));
    refused(peekParts(model, ...many(partsMax)), 'too many parts');
    const long = (bytes: number) => ({
      head: `${model.head}\r\nx: `.padEnd(bytes, 'y'),
      content: 'm',
    });
    accepted(peekParts(long(partHeadBytesMax - 4)));
    refused(peekParts(long(partHeadBytesMax - 3)), 'too long a head');
    const lines = (count: number) => ({
      head: model.head + '\r\nx: y'.repeat(count),
      content: 'm',
    });
    accepted(peekParts(lines(15)));
    refused(peekParts(lines(16)), 'too many lines');
  });

  it('when it says that its text is of another charset', () => {
    accepted(peekParts(field('_charset_', 'UTF-8'), model));
    refused(peekParts(field('_charset_', 'utf-7'), model), 'utf-7');
  });

  it('in time that grows with its bytes, however it was made', () => {
    const hard = 'a'.padEnd(70, '-');
    const bodies = [
      Buffer.alloc(32 * 1024 * 1024, '-'),
      Buffer.from(`--${hard}\r\n`.padEnd(32 * 1024 * 1024, '-')),
      Buffer.from(`--${hard}\r\n`.padEnd(32 * 1024 * 1024, `--${hard.slice(0, -1)}`)),
      Buffer.from(`--${hard}\r\n`.padEnd(32 * 1024 * 1024, '\r\n')),
    ];
    for (const body of bodies) {
      const startedAt = performance.now();
      refused(peekForm(body, hard), 'a hard body');
      assert.ok(performance.now() - startedAt < 2000);
    }
  });
});

/** Text that looks like framing, in names, files and values. */
const text = fc.string({
  unit: fc.constantFrom('a', '-', '\r\n', '\n', ':', ' ', 'é'),
  maxLength: 12,
});
const fileName = fc.string({ unit: fc.constantFrom('a', ' ', '.', ';', '=', 'é'), maxLength: 8 });
const otherPart = fc.record({
  name: fc.constantFrom('file', 'image[]', 'prompt', 'language', 'a b', 'é'),
  fileName: fc.option(fileName),
  content: text,
});
const isPlain = (boundary: string): boolean => /[^-]/.test(boundary);
const form = fc.record({
  boundary: fc
    .string({ unit: fc.constantFrom('b', 'Z', '0', '-', '_', "'"), minLength: 4, maxLength: 70 })
    .filter(isPlain),
  before: fc.array(otherPart, { maxLength: 4 }),
  model: fc.string({ unit: fc.constantFrom('m', '-', '/', 'é', ' '), minLength: 1, maxLength: 9 }),
  after: fc.array(otherPart, { maxLength: 4 }),
});
const runs = Number(process.env['GW_TEST_BODIES'] ?? 2000);

type Given = Readonly<{ name: string; fileName: string | null; content: string }>;

const partOf = (given: Given): FormPart => ({
  head: Buffer.from(
    `Content-Disposition: form-data; name="${given.name}"` +
      (given.fileName === null ? '' : `; filename="${given.fileName}"`),
  ).toString('latin1'),
  content: Buffer.from(given.content).toString('latin1'),
});

describe('any form', () => {
  it("is read as Node's own reader reads it, and only its model changes", async () => {
    await fc.assert(
      fc.asyncProperty(form, async (given) => {
        const bytes = writeForm(given.boundary, [
          ...given.before.map(partOf),
          partOf({ name: 'model', fileName: null, content: given.model }),
          ...given.after.map(partOf),
        ]);
        const peeked = peekForm(bytes, given.boundary);
        // Contents that hold the boundary are refused: no client writes them.
        fc.pre(!isPeekRefusal(peeked));
        assert.equal(peeked.model, given.model);
        const options = { model: 'org/é', modelJson: Buffer.from('""'), includeUsage: true };
        const sent = Buffer.concat(spliceBody(bytes, peeked, options));
        const [before, after] = await Promise.all([
          readByNode(given.boundary, bytes),
          readByNode(given.boundary, sent),
        ]);
        assert.ok(before !== null);
        const renamed = before.map(([name, value]) => [name, name === 'model' ? 'org/é' : value]);
        assert.deepEqual(after, renamed);
      }),
      { numRuns: runs },
    );
  });

  it("with damage is read as Node's own reader reads it, or by one of the two not at all", async () => {
    const damage = fc.constantFrom('\r\n', '\n', '-', '"', ';', 'model', '--X-BOUNDARY', '\\', ' ');
    const whole = writeForm(boundary, [model, file, field('stream', 'true')]).toString('latin1');
    let agreed = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(6), damage, async (at, removed, added) => {
        const bytes = Buffer.from(whole.slice(0, at) + added + whole.slice(at + removed), 'latin1');
        const peeked = peekForm(bytes, boundary);
        if (isPeekRefusal(peeked)) return;
        const read = await readByNode(boundary, bytes);
        if (read === null) return;
        agreed++;
        const models = read.filter(([name]) => name === 'model').map(([, value]) => value);
        assert.deepEqual(models, [peeked.model]);
      }),
      { numRuns: runs },
    );
    assert.ok(agreed > 0);
  });
});
