// Verifies an evidence pack: its files match the manifest, and the audit key of the log signed the manifest. The rules are the same as in
// deploy/verify.mjs.

import { base64Bytes, base64Of } from '../../../../events/bytes.ts';
import type { Verified } from '../../../../events/export-check.ts';
import { browserMeans } from '../../../../ui/lib/history/ed25519.ts';
import { createDigest, createSha256 } from '../../../../ui/lib/history/sha256.ts';

export const logName = 'log.ndjson';
const manifestName = 'manifest.json';
const signatureName = 'manifest.sig';

type Named = Readonly<{ name: string }>;

export const isPack = (files: readonly Named[]): boolean =>
  files.some(({ name }) => name === manifestName);

/** `intact` are the files whose hashes match the manifest. */
export type FilesChecked = Readonly<{
  problem: string | null;
  count: number;
  intact: ReadonlySet<string>;
}>;

type Manifest = Readonly<{
  files: readonly Readonly<{ name: string; sha256: string }>[];
  to: Readonly<{ hash: string }>;
}>;

/** `onFile` is called before each file is read. */
export async function checkFiles(
  files: readonly File[],
  onFile: (name: string) => void,
): Promise<FilesChecked> {
  const { files: listed }: Manifest = JSON.parse(await textOf(files, manifestName));
  const names = new Set([manifestName, signatureName, ...listed.map(({ name }) => name)]);
  const others = names.symmetricDifference(new Set(files.map(({ name }) => name)));
  const intact = new Set<string>();
  const altered: string[] = [];
  for (const { name, sha256 } of listed) {
    const file = files.find((one) => one.name === name);
    if (file === undefined) continue;
    onFile(name);
    if ((await digestOf(file)) === sha256) intact.add(name);
    else altered.push(name);
  }
  const [first] = altered;
  const missing = `missing from the pack, or not part of it: ${[...others].join(', ')}`;
  const problem =
    others.size > 0 ? missing : first === undefined ? null : `${first} does not match the manifest`;
  return { problem, count: listed.length, intact };
}

/** Null if the manifest is valid. */
export async function checkManifest(
  files: readonly File[],
  { hash, key }: Pick<Verified, 'hash' | 'key'>,
): Promise<string | null> {
  const text = await textOf(files, manifestName);
  const { to }: Manifest = JSON.parse(text);
  const sum = createDigest()(text);
  const written = await textOf(files, signatureName);
  const { signature }: Readonly<{ signature: string }> = JSON.parse(written);
  const bytes = base64Bytes(signature);
  const sig = `{"manifest":"${sum}","signature":"${base64Of(bytes)}"}\n`;
  const isWhole = written === sig && to.hash === hash;
  const isOwn =
    key === null || (await browserMeans.isSigned(`gw-evidence-v1\n${sum}\n`, bytes, key));
  return isWhole && isOwn ? null : 'the manifest is altered, or the audit key did not sign it';
}

async function textOf(files: readonly File[], name: string): Promise<string> {
  const file = files.find((one) => one.name === name);
  if (file === undefined) throw new Error(`missing from the pack, or not part of it: ${name}`);
  return file.text();
}

async function digestOf(file: Blob): Promise<string> {
  const hash = createSha256();
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hash.update(piece.value);
  }
  return hash.hex();
}
