// Stores the archive in a bucket, by the S3 API. The requests go through the egress guard.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import { AwsV4Signer } from 'aws4fetch';
import { request } from 'undici';
import type { Dispatcher } from 'undici';

import { readBoundedBytes } from '../../../src/lib/bounded-body.ts';
import { fileBytesMax } from './target.ts';
import type { Target } from './target.ts';

export type BucketOptions = Readonly<{
  /** `s3://bucket` or `s3://bucket/prefix`. */
  place: string;
  /** Null means AWS. */
  endpoint: string | null;
  region: string;
  accessKey: string;
  secretKey: string;
  /** No one can delete or replace an object for this time. */
  lockDays: number | null;
  dispatcher: Dispatcher;
  /** Without progress in either direction, a request fails after this time. */
  idleMs?: number;
}>;

const idleMsDefault = 60_000;
/** Bounds a request that makes progress. Archiving is held for longer. */
const requestMs = 240_000;
/** A part of a body. Each that is sent counts as progress. */
const partBytes = 64 * 1024;
const errorBytesMax = 64 * 1024;
const dayMs = 86_400_000;

export function bucketTarget(options: BucketOptions): Target {
  const { place, lockDays } = options;
  const put = (name: string, bytes: Uint8Array, headers: Sent['headers']) => {
    const digest = createHash('sha256').update(bytes).digest();
    return send(options, {
      method: 'PUT',
      name,
      bytes,
      headers: {
        ...headers,
        'x-amz-content-sha256': digest.toString('hex'),
        'x-amz-checksum-sha256': digest.toString('base64'),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
        ...(lockDays === null ? {} : lockFor(lockDays)),
      },
    });
  };
  return {
    place,
    write: async (name, bytes) => {
      const { status, code } = await put(name, bytes, { 'if-none-match': '*' });
      if (status === 200) return true;
      if (status === 412) return false;
      throw failure('PUT', `${place}/${name}`, { status, code });
    },
    replace: async (name, bytes) => {
      const { status, code } = await put(name, bytes, {});
      if (status !== 200) throw failure('PUT', `${place}/${name}`, { status, code });
    },
    read: async (name) => {
      const headers = { 'x-amz-content-sha256': emptyDigest };
      const { status, code, body } = await send(options, { method: 'GET', name, headers });
      if (status === 200) return body;
      if (status === 404 && code !== 'NoSuchBucket') return null;
      throw failure('GET', `${place}/${name}`, { status, code });
    },
  };
}

const emptyDigest = createHash('sha256').digest('hex');

const lockFor = (days: number) => ({
  'x-amz-object-lock-mode': 'COMPLIANCE',
  'x-amz-object-lock-retain-until-date': new Date(Date.now() + days * dayMs).toISOString(),
});

type Failed = Readonly<{ status: number; code: string | null }>;

const failure = (method: string, what: string, { status, code }: Failed): Error =>
  new Error(`${method} ${what}: the bucket answered ${status}${code === null ? '' : ` ${code}`}`);

type Sent = Readonly<{
  method: 'GET' | 'PUT';
  name: string;
  bytes?: Uint8Array;
  headers: Readonly<Record<string, string>>;
}>;

async function send(options: BucketOptions, { method, name, bytes, headers }: Sent) {
  const { region, accessKey, secretKey, dispatcher, idleMs = idleMsDefault } = options;
  const signer = new AwsV4Signer({
    method,
    url: urlOf(options, name),
    headers: { ...headers },
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    service: 's3',
    region,
  });
  const { url, headers: signed } = await signer.sign();
  const length = bytes === undefined ? {} : { 'content-length': String(bytes.byteLength) };
  const answer = await request(url, {
    method,
    headers: { ...Object.fromEntries(signed), ...length },
    body: bytes === undefined ? null : Readable.from(partsOf(bytes)),
    dispatcher,
    signal: AbortSignal.timeout(requestMs),
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  });
  const isFile = method === 'GET' && answer.statusCode === 200;
  const body = await readBoundedBytes(answer.body, isFile ? fileBytesMax : errorBytesMax);
  if (body === null) throw new Error(`${method} ${options.place}/${name}: the answer is too large`);
  return { status: answer.statusCode, code: isFile ? null : codeIn(body), body };
}

/** The time limit of the headers would start before a whole body is sent, but restarts with each part. */
function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += partBytes) {
    yield bytes.subarray(from, from + partBytes);
  }
}

/**
 * The bucket is in the path, which every S3 API accepts. Encoded like the path that is signed,
 * because some servers compare the bytes.
 */
function urlOf({ place, endpoint, region }: BucketOptions, name: string): string {
  const root = endpoint ?? `https://s3.${region}.amazonaws.com`;
  const parts = `${place.slice('s3://'.length)}/${name}`.split('/');
  return [root, ...parts.map(encoded)].join('/');
}

const encoded = (part: string): string =>
  encodeURIComponent(part).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const codeIn = (body: Uint8Array): string | null =>
  /<Code>(\w{1,60})<\/Code>/.exec(new TextDecoder().decode(body))?.[1] ?? null;
