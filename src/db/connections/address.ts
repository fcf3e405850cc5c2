// Reads the address of the database. It may name several servers, for example
// postgres://login@a:5432,b:5432/gw. Then gw uses the one that accepts writes.

import { readFileSync } from 'node:fs';

import parse from '@databases/pg-connection-string';
import type { Configuration } from '@databases/pg-connection-string';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';

/**
 * Sent when a session starts. A standby cannot obey it and ends the session with SQLSTATE 0A000, so
 * that the next server is tried.
 */
const writable = '-c transaction_read_only=off';

type Host = Readonly<{ host: string; port: number | undefined }>;

/** The settings of sessions on the servers. */
export type Address = Readonly<{
  hosts: readonly Host[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  options: string | undefined;
  /** Null without TLS. */
  ssl: Readonly<{ allowFallback: boolean; connectionOptions: Tls }> | null;
}>;

type Tls = { cert?: string; key?: string; ca?: string; rejectUnauthorized?: boolean };

/** The original message would repeat a part of the address, which may contain the password. */
export function readingUrl<Value>(open: () => Value): Value {
  try {
    return open();
  } catch {
    throw new Error('--database-url (GW_DATABASE_URL) is not a valid address');
  }
}

export const readAddress = (url: string): Address =>
  readingUrl(() => {
    const read = parse.default(url);
    const { user, password, dbname: database } = read;
    const hosts = addressesOf(url).map(hostOf);
    return { hosts, user, password, database, options: optionsOf(read), ssl: tlsOf(read) };
  });

function hostOf(url: string): Host {
  const { host, port } = parse.default(url);
  return { host: host[0] ?? 'localhost', port: port[0] ?? undefined };
}

const isForWrites = ({ host, target_session_attrs: wanted }: Configuration): boolean =>
  host.length > 1 || wanted === 'read-write';

const optionsOf = (read: Configuration): string | undefined =>
  isForWrites(read) ? [read.options ?? '', writable].join(' ').trim() : read.options;

function tlsOf({ sslmode, sslcert, sslkey, sslrootcert }: Configuration): Address['ssl'] {
  if (sslmode === 'disable') return null;
  const connectionOptions: Tls = {};
  if (sslcert !== undefined) connectionOptions.cert = readFileSync(sslcert, 'utf8');
  if (sslkey !== undefined) connectionOptions.key = readFileSync(sslkey, 'utf8');
  if (sslrootcert !== undefined) connectionOptions.ca = readFileSync(sslrootcert, 'utf8');
  const allowFallback = sslmode === undefined || sslmode === 'prefer';
  const hasFiles = Object.keys(connectionOptions).length > 0;
  if (allowFallback || sslmode === 'no-verify' || !hasFiles) {
    connectionOptions.rejectUnauthorized = false;
  }
  return { allowFallback, connectionOptions };
}

/** The part of an address before its servers, the servers, and the rest. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s;

/** One address for each server, in the order in which they are tried. */
export const addressesOf = (url: string): readonly string[] =>
  readingUrl(() => {
    const read = parse.default(url);
    if (!isForWrites(read)) return [url];
    const [, before = '', servers = '', after = ''] = parts.exec(url) ?? [];
    const names = servers.split(',');
    // The servers are in parameters (?host=a,b).
    if (names.length !== Math.max(read.host.length, 1))
      throw new Error('no servers before the path');
    const options = `options=${encodeURIComponent(optionsOf(read) ?? '')}`;
    const rest = `${after}${after.includes('?') ? '&' : '?'}${options}`;
    return names.map((name) => `${before}${name}${rest}`);
  });

/**
 * Returns a connection to the first server that accepts it. Throws the error of the last one. A
 * connection that breaks later fails its next query.
 */
export async function connectClient(url: string, config: ClientConfig): Promise<Client> {
  let failure: unknown = new Error('the database address names no server');
  for (const connectionString of addressesOf(url)) {
    const client = readingUrl(() => new Client({ ...config, connectionString }));
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      failure = error;
      await client.end().catch(() => {});
    }
  }
  throw failure;
}
