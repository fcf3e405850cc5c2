// Parses the filter directives of `--log` (specification, "Logs"): levels by component, such as
// `info,gw::gateway=debug`. Rejects invalid directives, because a filter with a mistake would
// silently show too much or too little.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number] | 'silent';

export const logComponents = [
  'gateway',
  'control_link',
  'operator',
  'control',
  'admin',
  'tracing',
  'agent',
] as const;
export type LogComponent = (typeof logComponents)[number];

/** Levels by target: `gw` and `gw::<component>`. */
export type LogFilter = Readonly<{ base: LogLevel; targets: ReadonlyMap<string, LogLevel> }>;

export const targetOf = (component: LogComponent | null): string =>
  component === null ? 'gw' : `gw::${component}`;

const targets: ReadonlySet<string> = new Set([null, ...logComponents].map(targetOf));

/**
 * Comma-separated directives: `<level>` for all components (default `info`), `<target>=<level>` for
 * one, and `<target>` for all its levels. The last directive for a target wins. Errors name the
 * directive.
 */
export function readLogFilter(text: string): LogFilter | Refusal {
  let base: LogLevel = 'info';
  const levels = new Map<string, LogLevel>();
  for (const directive of text.split(',').map((one) => one.trim())) {
    if (directive === '') continue;
    const [left = '', right, ...more] = directive.split('=').map((one) => one.trim());
    const level = right === undefined ? levelOf(left) : null;
    const targetLevel = right === undefined ? 'trace' : levelOf(right);
    if (level !== null) base = level;
    else if (more.length > 0 || targetLevel === null || !targets.has(left)) return bad(directive);
    else levels.set(left, targetLevel);
  }
  return { base, targets: levels };
}

/** The most specific directive wins. */
export const levelAt = ({ base, targets }: LogFilter, component: LogComponent | null): LogLevel =>
  targets.get(targetOf(component)) ?? targets.get(targetOf(null)) ?? base;

function levelOf(text: string): LogLevel | null {
  const word = text.toLowerCase();
  if (word === 'off' || word === 'silent') return 'silent';
  return logLevels.find((level) => level === word) ?? null;
}

const directiveCharactersMax = 60;

const bad = (directive: string): Refusal =>
  refuse(
    'invalid',
    `has the directive ${JSON.stringify(directive.slice(0, directiveCharactersMax))}, which is neither a level ` +
      `(${logLevels.join(', ')}, off) nor <target>=<level> with a target of ${[...targets].join(', ')}`,
  );
