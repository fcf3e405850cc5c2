// Reads a directory of recorded traffic: one folder per vendor, each with an index.json that names
// the files of request and response bodies. Recordings are not part of the repository.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

export const vendorNames = ['anthropic', 'gemini', 'openai'] as const;
type VendorName = (typeof vendorNames)[number];

const entry = z.object({
  id: z.string(),
  method: z.string(),
  /** Null if the source does not state it. */
  path: z.string().nullable().default(null),
  query: z.string().nullable().default(null),
  status: z.int(),
  content_type: z.string().nullable().default(null),
  request: z.string().nullable().default(null),
  response: z.string(),
});

export type Recording = Readonly<{
  vendor: VendorName;
  id: string;
  path: string | null;
  query: string | null;
  status: number;
  isStream: boolean;
  contentType: string;
  /** Null if it was not recorded. */
  request: Buffer | null;
  response: Buffer;
}>;

/**
 * Omits requests other than POST. Throws an error that names the directory if it has no recordings.
 */
export function readRecordings(directory: string): readonly Recording[] {
  const folders = vendorNames.filter((name) => existsSync(join(directory, name, 'index.json')));
  if (folders.length === 0) throw new Error(`${directory} has no recordings`);
  return folders.flatMap((vendor) => readFolder(vendor, join(directory, vendor)));
}

function readFolder(vendor: VendorName, folder: string): readonly Recording[] {
  const index: unknown = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
  return z
    .array(entry)
    .parse(index)
    .filter(({ method }) => method.toUpperCase() === 'POST')
    .map(({ id, path, query, status, content_type, request, response }) => {
      const isStream = /\.(?:sse|jsonl)$/.test(response);
      const fallback = isStream ? 'text/event-stream' : 'application/json';
      return {
        vendor,
        id,
        path,
        query,
        status,
        isStream,
        contentType: content_type === null || content_type === '' ? fallback : content_type,
        request: request === null ? null : readFileSync(join(folder, request)),
        response: framed(response, readFileSync(join(folder, response))),
      };
    });
}

/** Restores the frames of a stream that was stored as one payload per line. */
function framed(file: string, bytes: Buffer): Buffer {
  if (!file.endsWith('.jsonl')) return bytes;
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''));
}
