// Reads the PEM files that flags name, before anything is opened. Problems name the flag.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

import type { SettingValues } from './settings/settings-table.ts';

export type Tls = Readonly<{ cert: string; key: string }>;

/** Null means plain HTTP. */
export function readTls({
  tlsCert,
  tlsKey,
}: Pick<SettingValues, 'tlsCert' | 'tlsKey'>): Tls | null {
  if (tlsCert === null || tlsKey === null) return null;
  const tls = { cert: readNamed('--tls-cert', tlsCert), key: readNamed('--tls-key', tlsKey) };
  const what = `--tls-cert ${tlsCert} and --tls-key ${tlsKey} are not a certificate and its key`;
  naming(what, () => createSecureContext(tls));
  return tls;
}

/** The certificates to trust in addition to those of the runtime. */
export function readCaBundle({ caBundle }: Pick<SettingValues, 'caBundle'>): readonly string[] {
  return caBundle === null ? [] : [readCertificates('--ca-bundle', caBundle)];
}

export function readCertificates(flag: string, path: string): string {
  const text = readNamed(flag, path);
  naming(`${flag} ${path} contains no certificate`, () => new X509Certificate(text));
  return text;
}

const readNamed = (flag: string, path: string): string =>
  naming(`${flag} ${path} cannot be read`, () => readFileSync(path, 'utf8'));

function naming<Value>(what: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new Error(what, { cause });
  }
}
