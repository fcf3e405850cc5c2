// Decides where a password given at the command line comes from: an argument, standard input, a file, or a person's typing.

import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type PasswordInput = Readonly<{
  /** Of `--password`; `-` is standard input. */
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
    return refuse('invalid', `no password given; give it by ${ways}`, { param: 'password' });
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

/** GW_BOOTSTRAP_PASSWORD is what a first start may have set already. Null when none of them is. */
function passwordOfEnvironment(env: PasswordInput['env']): string | Refusal | null {
  const file = env['GW_PASSWORD_FILE'] ?? '';
  const text = env['GW_PASSWORD'] ?? env['GW_BOOTSTRAP_PASSWORD'] ?? '';
  if (file === '') return text === '' ? null : text;
  if (text !== '') {
    return refuse('invalid', 'GW_PASSWORD and GW_PASSWORD_FILE are both set', {
      param: 'password',
    });
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('invalid', `GW_PASSWORD_FILE names ${file}, which cannot be read (${code})`, {
      param: 'password',
    });
  }
}

/** Well beyond the longest password: what is longer is no password, and is refused as one. */
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

/** The terminal is raw, so that nothing is shown: line editing is ours. */
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
