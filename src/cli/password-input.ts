// Reads a password from an option, standard input, an environment variable, a file or a terminal prompt.

import type { Readable, Writable } from 'node:stream';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { secretVariable } from './settings/secret-variable.ts';

export type PasswordInput = Readonly<{
  /** The value of `--password`; `-` means standard input. */
  option: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
  stderr: Writable;
}>;

export async function readPassword(input: PasswordInput): Promise<string | Refusal> {
  const { option, env, stdin, stderr } = input;
  if (option === '-') return firstLine(stdin);
  if (option !== undefined) {
    stderr.write('gw: warning: --password is visible to every user of this machine; use -\n');
    return option;
  }
  const named = passwordOfEnvironment(env);
  if (named !== null) return named;
  if (stdin.isTTY !== true) {
    const ways = '--password - (standard input), GW_PASSWORD, GW_PASSWORD_FILE, or a terminal';
    return refuse('invalid', `no password given; use ${ways}`, { param: 'password' });
  }
  stderr.write('Password: ');
  stdin.setRawMode?.(true);
  try {
    return await typedLine(stdin);
  } finally {
    stdin.setRawMode?.(false);
    stderr.write('\n');
  }
}

/** GW_BOOTSTRAP_PASSWORD may still be set for the first start. Null if no variable is set. */
const passwordOfEnvironment = (env: PasswordInput['env']): string | Refusal | null =>
  secretVariable(env, { variable: 'GW_PASSWORD', param: 'password' }) ??
  (env['GW_BOOTSTRAP_PASSWORD'] || null);

/** Longer than any valid password. */
const inputCharactersMax = 8192;

async function firstLine(stdin: Readable): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > inputCharactersMax) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

const interrupt = '\u0003';
const endOfInput = '\u0004';
const erase: ReadonlySet<string> = new Set(['\u007f', '\b']);

/** The terminal is raw, so nothing is echoed and this code handles line editing. */
async function typedLine(stdin: Readable): Promise<string | Refusal> {
  let typed: readonly string[] = [];
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    for (const character of String(chunk)) {
      if (character === '\r' || character === '\n' || character === endOfInput) {
        return typed.join('');
      }
      if (character === interrupt) return refuse('invalid', 'interrupted');
      typed = erase.has(character) ? typed.slice(0, -1) : [...typed, character];
    }
    if (typed.length > inputCharactersMax) break;
  }
  return typed.join('');
}
