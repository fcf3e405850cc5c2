// Checks the settings, the certificates and the places for files.

import { X509Certificate } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';

import { isRefusal } from '../../lib/refusal.ts';
import { readTls } from '../pem-files.ts';
import { startupRefusals, startupWarnings } from '../startup.ts';
import { failed, ok, warning } from './check.ts';
import type { Check, Finding } from './check.ts';

type Run = Check['run'];

export const checkConfiguration: Run = async ({ settings, warnings, env }) => {
  const findings = [
    ...startupRefusals(settings).map(({ message }) => failed(message)),
    ...[...warnings, ...startupWarnings(settings)].map(warning),
    ...(settings.config === null ? [] : await checkFile(settings.config, { settings, env })),
  ];
  return findings.length === 0 ? [ok(`complete for role ${settings.role}`)] : findings;
};

async function checkFile(
  file: string,
  { settings, env }: Pick<Parameters<Run>[0], 'settings' | 'env'>,
): Promise<readonly Finding[]> {
  const { readConfigFiles } = await import('../../gateway/config/config-files.ts');
  const { checkConfigFile } = await import('../../snapshot/file-mode.ts');
  const { issueText } = await import('../../snapshot/file/source.ts');
  const files = await readConfigFiles(file, env);
  if (isRefusal(files)) return [failed(files.message)];
  const { errors, warnings } = checkConfigFile(files.source, env, settings);
  return [
    ...errors.map((issue) => failed(issueText(issue))),
    ...warnings.map((issue) => warning(issueText(issue))),
  ];
}

const dayMs = 24 * 60 * 60 * 1000;
const expiryWarningDays = 30;

export const checkCertificates: Run = async ({ settings }) => {
  const { tlsCert, caBundle } = settings;
  // Throws if the key does not belong to the certificate.
  readTls(settings);
  const findings: Finding[] = [];
  for (const [flag, file] of [
    ['--tls-cert', tlsCert],
    ['--ca-bundle', caBundle],
  ] as const) {
    if (file !== null) findings.push(...(await expiries(flag, file)));
  }
  return findings;
};

async function expiries(flag: string, file: string): Promise<readonly Finding[]> {
  const pem = await readFile(file, 'utf8');
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (certificates.length === 0) return [failed(`${flag} ${file} contains no certificate`)];
  return certificates.map((text) => {
    const { subject, validTo, validToDate, validFromDate } = new X509Certificate(text);
    const name = `${flag} ${subject.replaceAll('\n', ', ')}`;
    const days = Math.floor((validToDate.getTime() - Date.now()) / dayMs);
    if (validFromDate.getTime() > Date.now()) return failed(`${name} is not valid yet`);
    if (days < 0) return failed(`${name} expired on ${validTo}; replace it`);
    const expires = `${name} expires in ${days} days`;
    return days < expiryWarningDays ? warning(`${expires}; replace it`) : ok(expires);
  });
}

const freeBytesMin = 512 * 1024 * 1024;
const mebibyte = 1024 * 1024;

export const checkDisk: Run = async ({ settings }) => {
  const { snapshotCache, usageSpool, role } = settings;
  const places = [
    ['--snapshot-cache', snapshotCache === null ? null : path.dirname(snapshotCache)],
    ['--usage-spool', usageSpool],
  ] as const;
  const findings: Finding[] = [];
  for (const [flag, folder] of places) {
    // A control process alone writes neither.
    if (folder !== null && role !== 'control') findings.push(await checkFolder(flag, folder));
  }
  return findings;
};

/** gw creates the folder if it may. */
async function checkFolder(flag: string, folder: string): Promise<Finding> {
  const place = nearestFolder(path.resolve(folder));
  try {
    await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return failed(`${flag}: ${place} cannot be written (${code}); give it to this user`);
  }
  const { bavail, bsize } = await statfs(place);
  const free = `${flag}: ${Math.floor((bavail * bsize) / mebibyte)} MiB are free in ${folder}`;
  return bavail * bsize < freeBytesMin ? warning(`${free}; free some`) : ok(free);
}

function nearestFolder(folder: string): string {
  let place = folder;
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}
