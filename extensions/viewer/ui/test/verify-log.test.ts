// Tests that the viewer and deploy/verify.mjs find the same problem at the same position of any export, valid or altered.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { createDigest, createSha256 } from '../../../../ui/lib/history/sha256.ts';
import { openExport } from '../log/open-export.ts';
import type { OpenExport } from '../log/open-export.ts';
import {
  auditKey,
  exported,
  nextAuditKey,
  signedPlane,
  unanchored,
  verifyOffline,
} from '../../../../test/harness/control/signed-log.ts';
import { temporaryDirectory } from '../../../../test/harness/temporary-directory.ts';

const ends: (() => unknown)[] = [];
const file = {
  after: (end: unknown) => void (typeof end === 'function' && ends.push(() => end())),
};
after(async () => {
  for (const end of ends) await end();
});

let log = '';
let part = '';
let directory = '';

before(async () => {
  const { plane } = await signedPlane(file);
  log = await exported(plane.db);
  part = await exported(plane.db, 5, 12);
  directory = await temporaryDirectory(file);
});

const none = { key: null, anchors: [] };

const opened = (text: string, trust = {}): Promise<OpenExport> =>
  openExport([new File([text], 'log.ndjson')], { ...none, ...trust }, () => {});

/** deploy/verify.mjs reports an invalid checkpoint without the reason. */
const withoutDetail = (problem: string): string => problem.replace(/(?<=is forged): .*/, '');

/** In the words of the verifier. */
function findingOf({ summary }: OpenExport): string {
  const { finding, from, position, checkpoints } = summary;
  const { length } = checkpoints;
  const last = checkpoints.at(-1)?.position;
  const sign =
    last === undefined ? 'nothing' : `up to position ${last}, ${position - last} events behind`;
  return finding === null
    ? `${position - from + 1} events, ${length} checkpoints: all valid; signed: ${sign}\n`
    : `position ${finding.position}: ${withoutDetail(finding.problem)}\n`;
}

async function offline(text: string, ...words: readonly string[]): Promise<string> {
  const name = path.join(directory, 'log.ndjson');
  await writeFile(name, text);
  return (await verifyOffline(name, ...words)).stdout.replace(unanchored, '');
}

const lineWith = (text: string, word: string, at = 0): number =>
  text.split('\n').flatMap((line, index) => (line.includes(word) ? [index] : []))[at] ?? -1;

function edited(text: string, line: number, edit: (line: string) => readonly string[]): string {
  return text
    .split('\n')
    .flatMap((one, index) => (index === line ? edit(one) : [one]))
    .join('\n');
}

const redacted = (text: string, line: number): string =>
  edited(text, line, (one) => [one.replace(/"payload":"(?:[^"\\\\]|\\\\.)*"/, '"payload":null')]);

/** Manipulations of a valid export, by name. */
const alterations: Readonly<Record<string, (sound: string) => string>> = {
  nothing: (sound) => sound,
  'line ends of another system': (sound) => sound.replaceAll('\n', '\r\n'),
  'a payload': (sound) => edited(sound, 9, (line) => [line.replace('"a', '"b')]),
  'who did it': (sound) =>
    edited(sound, 9, (line) => [line.replace('metadata":"{', 'metadata":"{ ')]),
  'a payload with its digest': (sound) =>
    edited(sound, 9, (line) => [line.replace(/"payload_digest":"../, '"payload_digest":"00')]),
  'a payload removed': (sound) => redacted(sound, 9),
  'two payloads removed': (sound) => redacted(redacted(sound, 9), 15),
  'a hash': (sound) => edited(sound, 9, (line) => [line.replace(/"hash":".{4}/, '"hash":"0000')]),
  'a line taken out': (sound) => edited(sound, 9, () => []),
  'a line twice': (sound) => edited(sound, 9, (line) => [line, line]),
  'two lines exchanged': (sound) => {
    const lines = sound.split('\n');
    return lines.toSpliced(9, 2, lines[10] ?? '', lines[9] ?? '').join('\n');
  },
  'the order of members': (sound) =>
    edited(sound, 9, (line) => [
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).toReversed())),
    ]),
  'a second beginning': (sound) => edited(sound, 9, (line) => [sound.split('\n')[0] ?? '', line]),
  'another log': (sound) => edited(sound, 0, (line) => [line.replace(/log_id":"./, 'log_id":"z')]),
  'a checkpoint': (sound) =>
    edited(sound, lineWith(sound, 'checkpoint":"gw'), (line) => [
      line.replace(/\\n\d+\\n/, '\\n1\\n'),
    ]),
  'a signature': (sound) =>
    edited(sound, lineWith(sound, 'checkpoint":"gw', 1), (line) => [
      line.replace(/.{8}==?\\n/, 'AAAAAAA=\\n'),
    ]),
  'the handing over of the audit key': (sound) =>
    edited(sound, lineWith(sound, 'AuditKeySet', 1), (line) => [
      line.replace('public_key', 'public_kez'),
    ]),
  'the end': (sound) =>
    edited(sound, lineWith(sound, '{"end"'), (line) => [line.replace('events":', 'events":1')]),
  'cut off': (sound) => sound.slice(0, sound.lastIndexOf('{"end"')),
  'data after the end': (sound) => `${sound}${sound.split('\n')[9]}\n`,
  'a number written as text': (sound) =>
    edited(sound, 9, (line) => [line.replace(/"version":(\d+)/, '"version":"$1"')]),
  'an empty checkpoint': (sound) => edited(sound, 9, (line) => [line, '{"checkpoint":""}']),
  'no JSON': (sound) => edited(sound, 9, () => ['{']),
};

describe('the viewer finds what deploy/verify.mjs finds', () => {
  for (const [name, alter] of Object.entries(alterations)) {
    it(`altered: ${name}`, async () => {
      const text = alter(log);
      assert.equal(findingOf(await opened(text)), await offline(text));
    });
  }

  it('of an export that begins in the middle', async () => {
    assert.equal(findingOf(await opened(part)), await offline(part));
  });

  it('with an audit key that is trusted', async () => {
    for (const { publicKey: key } of [auditKey, nextAuditKey, { publicKey: '00'.repeat(32) }]) {
      assert.equal(findingOf(await opened(log, { key })), await offline(log, '--key', key));
    }
  });

  it('with checkpoints that were kept, of this log and of a longer one', async () => {
    const lines = log.split('\n').filter((line) => line.startsWith('{"checkpoint"'));
    const kept = path.join(directory, 'kept.ndjson');
    await writeFile(kept, lines.join('\n'));
    const anchors = lines.map((line) => String(JSON.parse(line).checkpoint));
    for (const text of [log, part]) {
      assert.equal(
        findingOf(await opened(text, { anchors })),
        await offline(text, '--anchor', kept),
      );
    }
  });
});

it('what is shown of an altered export ends before the line that does not hold', async () => {
  const { log: shown, summary } = await opened(alterations['a payload']?.(log) ?? '');
  assert.equal(summary.finding?.position, 9);
  assert.equal(shown.index.last(), 8);
  assert.match(summary.brokenLine ?? '', /^\{"position":9,/);
});

it('digests are those of SHA-256, of any length and in pieces', () => {
  const digest = createDigest();
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000]) {
    const bytes = randomBytes(length);
    const expected = createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(bytes), expected);
    const pieces = createSha256();
    pieces.update(bytes.subarray(0, length / 3));
    pieces.update(bytes.subarray(length / 3));
    assert.equal(pieces.hex(), expected);
  }
  assert.equal(digest('é\ud800'), createHash('sha256').update('é\ud800').digest('hex'));
});
