// Tests that only a whole, unchanged backup is read, and only with its key.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { splitAddress } from '../../src/cli/backup/postgres-tools.ts';
import { createReader, seal, unseal } from '../../src/cli/backup/sealed-file.ts';
import { isRefusal } from '../../src/lib/refusal.ts';

const key = Buffer.alloc(32, 1);
const mebibyte = 1024 * 1024;

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

const sealed = (content: Buffer): Promise<Buffer> => collect(seal(pieces(content, 70_001), key));

async function opened(file: Buffer, keys: readonly Buffer[] = [key]): Promise<Buffer | string> {
  const content = await unseal(pieces(file, 65_537), keys);
  if (isRefusal(content)) return content.message;
  return collect(content).catch((error: unknown) => String(error));
}

const damaged = /^Error: the backup was cut or changed in MiB \d; use another one$/;

describe('an encrypted backup', () => {
  it('gives back its content, of any length', async () => {
    for (const size of [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte + 17]) {
      const content = randomBytes(size);
      const file = await sealed(content);
      assert.ok(content.equals(Buffer.from(await opened(file))), `${size} bytes`);
      assert.ok(size < 16 || !file.includes(content.subarray(0, 16)));
    }
  });

  it('is refused if a byte was changed, removed or added anywhere', async () => {
    const file = await sealed(randomBytes(2 * mebibyte + 5));
    const head = file.indexOf('\n') + 1;
    for (const at of [head, head + 4, head + mebibyte, head + mebibyte + 30, file.length - 1]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.match(String(await opened(changed)), damaged, `changed at ${at}`);
      assert.match(String(await opened(file.subarray(0, at))), damaged, `cut at ${at}`);
    }
    assert.match(String(await opened(Buffer.concat([file, Buffer.from('x')]))), damaged);
  });

  it('is refused if whole parts were removed or swapped', async () => {
    const file = await sealed(randomBytes(3 * mebibyte));
    const head = file.indexOf('\n') + 1;
    const frame = 4 + mebibyte + 16;
    const [start, one, two, three] = [
      file.subarray(0, head),
      ...[0, 1, 2].map((at) => file.subarray(head + at * frame, head + (at + 1) * frame)),
    ];
    assert.ok(start && one && two && three);
    for (const parts of [
      [start, one, two],
      [start, two, one, three],
      [start, two, three],
      [start],
    ]) {
      assert.match(String(await opened(Buffer.concat(parts))), damaged);
    }
  });

  it('is refused with another key, with its line changed, and if it is another file', async () => {
    const file = await sealed(Buffer.from('content'));
    const other = Buffer.alloc(32, 2);
    assert.match(
      String(await opened(file, [other])),
      /^the backup was encrypted with key \w{8}; give that as GW_ENCRYPTION_KEY/,
    );
    assert.equal(String(await opened(file, [other, key])), 'content');
    const line = file
      .toString('latin1')
      .replace(/"salt":"(.)/, (_, first: string) => `"salt":"${first === '0' ? '1' : '0'}`);
    assert.match(String(await opened(Buffer.from(line, 'latin1'))), damaged);
    for (const text of ['', 'PGDMP', '{}\n', 'x'.repeat(5000)]) {
      assert.equal(await opened(Buffer.from(text)), 'the file is not a backup of gw backup');
    }
  });
});

it('a reader gives lines, parts and the rest, however the bytes arrive', async () => {
  for (const size of [1, 2, 3, 100]) {
    const reader = createReader(pieces(Buffer.from('ab\ncdefg'), size));
    assert.equal(await reader.line(10), 'ab');
    assert.equal(String(await reader.upTo(2)), 'cd');
    assert.equal(await reader.isAtEnd(), false);
    assert.equal(String(await collect(reader.rest())), 'efg');
    assert.equal(await reader.isAtEnd(), true);
    assert.equal((await reader.upTo(1)).length, 0);
  }
  assert.equal(await createReader(pieces(Buffer.from('abcdef'), 2)).line(3), null);
});

it('client programs get the password apart from the address, and the primary of several servers', () => {
  for (const [url, address, password] of [
    ['postgres://gw@a/gw', 'postgres://gw@a/gw', null],
    ['postgres://a:5432/gw?sslmode=disable', 'postgres://a:5432/gw?sslmode=disable', null],
    ['postgres://gw:p%40ss@%2Frun:5432/gw', 'postgres://gw@%2Frun:5432/gw', 'p@ss'],
    [
      'postgres://gw@a/gw?password=p%40s%2Bs&sslmode=require',
      'postgres://gw@a/gw?sslmode=require',
      'p@s+s',
    ],
    ['postgres://a/gw?user=gw&password=x', 'postgres://a/gw?user=gw', 'x'],
    ['postgres://gw:x@a/gw?password=y', 'postgres://gw@a/gw', 'y'],
    ['postgres://gw@a/gw?sslmode=no-verify', 'postgres://gw@a/gw?sslmode=require', null],
    ['postgres://gw:x@a,b:1/gw', 'postgres://gw@a,b:1/gw?target_session_attrs=read-write', 'x'],
    [
      'postgres://gw@a,b/gw?target_session_attrs=any',
      'postgres://gw@a,b/gw?target_session_attrs=any',
      null,
    ],
  ] as const) {
    assert.deepEqual(splitAddress(url), { address, password });
  }
});
