// Writes the program's log: JSON with `timestamp`, `level` and `message` at top level, or one
// readable line per entry (specification, "Logs, metrics, traces"). Escapes control characters, so
// no value can forge a line.

import { pino, stdTimeFunctions } from 'pino';
import type { Logger } from 'pino';

import { boundedFields, boundedText } from './log-fields.ts';
import type { LogFields } from './log-fields.ts';
import { levelAt, logLevels, targetOf } from './log-filter.ts';
import type { LogComponent, LogFilter } from './log-filter.ts';

type Write = (fields: LogFields, message: string) => void;

export type Log = Readonly<{
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  /** The filter may name a component. */
  of: (component: LogComponent) => Log;
}>;

export type LogOptions = Readonly<{
  filter: LogFilter;
  format: 'text' | 'json';
  /** Receives one line at a time, including its line end. */
  write: (line: string) => void;
}>;

export function createLog({ filter, format, write }: LogOptions): Log {
  const logger = pino(
    {
      level: logLevels[0],
      messageKey: 'message',
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"timestamp"'),
      base: null,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: format === 'json' ? write : (line: string) => write(toText(line)) },
  );
  const of = (component: LogComponent | null): Log => {
    const level = levelAt(filter, component);
    const child = logger.child({ target: targetOf(component) }, { level });
    const at = (name: 'debug' | 'info' | 'warn' | 'error'): Write => writerOf(child, name);
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), of };
  };
  return of(null);
}

/** The filter never changes, so disabled levels become empty functions. */
function writerOf(logger: Logger, level: 'debug' | 'info' | 'warn' | 'error'): Write {
  if (!logger.isLevelEnabled(level)) return () => {};
  return (fields, message) => logger[level](boundedFields(fields), boundedText(message));
}

function toText(line: string): string {
  const record: unknown = JSON.parse(line);
  if (typeof record !== 'object' || record === null) return line;
  const { timestamp, level, target, message, ...fields }: Record<string, unknown> = { ...record };
  const rest = Object.entries(fields).map(
    ([key, value]) => ` ${escapeControl(key)}=${toValue(value)}`,
  );
  const head = `${String(timestamp)} ${String(level).toUpperCase().padEnd(5)} ${String(target)}:`;
  return `${head} ${escapeControl(String(message))}${rest.join('')}\n`;
}

function toValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = escapeControl(text);
  return typeof value === 'string' && /[\s"=]/.test(plain) ? JSON.stringify(plain) : plain;
}

const escapeControl = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
