// The program's log: JSON with `timestamp`, `level` and `message` at top level, or one readable
// line each (specification, "Logs, metrics, traces"). Text escapes control characters, so no
// value can forge a line.

import { pino, stdTimeFunctions } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

type Write = (fields: LogFields, message: string) => void;

export type Log = Readonly<{ debug: Write; info: Write; warn: Write; error: Write }>;

export type LogOptions = Readonly<{
  /** A level, or a filter directive whose first bare level counts. */
  filter: string;
  format: 'text' | 'json';
  /** Takes one line at a time, with its line end. */
  write: (line: string) => void;
}>;

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

const valueCharactersMax = 1024;

export function createLog(options: LogOptions): Log {
  const isJson = options.format === 'json';
  const write = isJson ? options.write : (line: string) => options.write(toText(line));
  return pino(
    {
      level: readLevel(options.filter),
      messageKey: 'message',
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"timestamp"'),
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      errorKey: 'error',
    },
    { write },
  );
}

function readLevel(filter: string): Level | 'silent' {
  const words = new Set(
    filter
      .toLowerCase()
      .split(',')
      .map((word) => word.trim()),
  );
  if (words.has('silent') || words.has('off')) return 'silent';
  return levels.find((level) => words.has(level)) ?? 'info';
}

function toText(line: string): string {
  const record: unknown = JSON.parse(line);
  if (typeof record !== 'object' || record === null) return line;
  const { timestamp, level, message, ...fields }: Record<string, unknown> = { ...record };
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${toValue(value)}`);
  const head = `${String(timestamp)} ${String(level).toUpperCase().padEnd(5)}`;
  return `${head} ${escapeControl(String(message))}${rest.join('')}\n`;
}

function toValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = escapeControl(text.slice(0, valueCharactersMax));
  return typeof value === 'string' && /[\s"=]/.test(plain) ? JSON.stringify(plain) : plain;
}

const escapeControl = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
