// Encrypts a backup as a stream of frames, so that a cut, changed or reordered file is refused. A file is a line of JSON, then
// frames: the length in 4 bytes, AES-256-GCM ciphertext, tag. Each file has its own key, derived from the encryption key.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import { z } from 'zod';

import { keyId } from '../../db/vault.ts';
import { plainly } from '../../lib/plain-issue.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

const header = z.object({
  format: z.literal('gw-backup-1'),
  /** Names the encryption key. */
  key_id: z.string(),
  salt: z.string().regex(/^[0-9a-f]{64}$/),
});

type Bytes = AsyncIterable<Buffer>;

const frameBytes = 1024 * 1024;
const lengthBytes = 4;
const tagBytes = 16;
const nonceBytes = 12;
const headerBytesMax = 1000;

/** `encryptionKey` has 32 bytes. */
export async function* seal(content: Bytes, encryptionKey: Buffer): AsyncGenerator<Buffer> {
  const head = JSON.stringify({
    format: 'gw-backup-1',
    key_id: keyId(encryptionKey),
    salt: randomBytes(32).toString('hex'),
  } satisfies z.input<typeof header>);
  yield Buffer.from(`${head}\n`);
  const key = fileKey(encryptionKey, head);
  const reader = createReader(content);
  for (let index = 0; ; index++) {
    const plaintext = await reader.upTo(frameBytes);
    const isLast = await reader.isAtEnd();
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index), { authTagLength: tagBytes });
    cipher.setAAD(endMark(isLast));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(body.length);
    yield Buffer.concat([length, body]);
    if (isLast) return;
  }
}

/**
 * Refuses a file of another kind or another key. The content throws at the first frame that was changed, and at the end if the
 * file was cut.
 */
export async function unseal(
  file: Bytes,
  encryptionKeys: readonly Buffer[],
): Promise<AsyncGenerator<Buffer> | Refusal> {
  const reader = createReader(file);
  const head = await reader.line(headerBytesMax);
  const read = header.safeParse(parsed(head ?? ''), plainly);
  if (head === null || !read.success) {
    return refuse('invalid', 'the file is not a backup of gw backup');
  }
  const encryptionKey = encryptionKeys.find((one) => keyId(one) === read.data.key_id);
  if (encryptionKey === undefined) {
    const needs = `the backup was encrypted with key ${read.data.key_id}`;
    return refuse(
      'invalid',
      `${needs}; give that as GW_ENCRYPTION_KEY or GW_ENCRYPTION_KEY_PREVIOUS`,
    );
  }
  return frames(reader, fileKey(encryptionKey, head));
}

async function* frames(reader: Reader, key: Buffer): AsyncGenerator<Buffer> {
  for (let index = 0; ; index++) {
    const length = await reader.upTo(lengthBytes);
    const size = length.length === lengthBytes ? length.readUInt32BE() : 0;
    if (size < tagBytes || size > frameBytes + tagBytes) throw damaged(index);
    const body = await reader.upTo(size);
    const isLast = await reader.isAtEnd();
    if (body.length < size) throw damaged(index);
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(endMark(isLast));
    decipher.setAuthTag(body.subarray(size - tagBytes));
    const plaintext = decipher.update(body.subarray(0, size - tagBytes));
    try {
      decipher.final();
    } catch (cause) {
      throw damaged(index, cause);
    }
    yield plaintext;
    if (isLast) return;
  }
}

export class DamagedBackup extends Error {}

const damaged = (index: number, cause?: unknown): Error =>
  new DamagedBackup(`the backup was cut or changed in MiB ${index + 1}; use another one`, {
    cause,
  });

/** The line is part of the derivation, so that a changed line leads to another key. */
const fileKey = (encryptionKey: Buffer, head: string): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, head, 'gw backup', 32));

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUIntBE(index, nonceBytes - 6, 6);
  return nonce;
}

const endMark = (isLast: boolean): Buffer => Buffer.from([isLast ? 1 : 0]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type Reader = Readonly<{
  /** Fewer bytes only at the end. */
  upTo: (bytes: number) => Promise<Buffer>;
  /** Without its end. Null if there is none within `bytesMax`. */
  line: (bytesMax: number) => Promise<string | null>;
  isAtEnd: () => Promise<boolean>;
  rest: () => AsyncGenerator<Buffer>;
}>;

export function createReader(source: Bytes): Reader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let size = 0;
  let hasEnded = false;
  const fill = async (bytes: number): Promise<void> => {
    while (size < bytes && !hasEnded) {
      const { done, value } = await iterator.next();
      if (done === true) hasEnded = true;
      else {
        held.push(value);
        size += value.length;
      }
    }
  };
  const take = (bytes: number): Buffer => {
    const all = held.length === 1 ? (held[0] ?? Buffer.alloc(0)) : Buffer.concat(held);
    const taken = all.subarray(0, bytes);
    held = bytes < all.length ? [all.subarray(bytes)] : [];
    size -= taken.length;
    return taken;
  };
  const upTo = async (bytes: number): Promise<Buffer> => {
    await fill(bytes);
    return take(bytes);
  };
  return {
    upTo,
    line: async (bytesMax) => {
      await fill(bytesMax);
      const all = take(size);
      const end = all.subarray(0, bytesMax).indexOf('\n');
      held = [all.subarray(end + 1)];
      size = all.length - end - 1;
      return end === -1 ? null : all.toString('utf8', 0, end);
    },
    isAtEnd: async () => {
      await fill(1);
      return size === 0;
    },
    rest: async function* () {
      for (;;) {
        await fill(1);
        if (size === 0) return;
        yield take(size);
      }
    },
  };
}
