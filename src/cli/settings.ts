// Decides the value of every setting: flag before environment before default, with where each came from.

import assert from 'node:assert/strict';

import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { nearest } from './nearest.ts';
import type { Setting } from './setting.ts';
import { otherVariables, settingsTable } from './settings-table.ts';
import type { SettingName, SettingValues } from './settings-table.ts';

/** `file` is a file that a `GW_*_FILE` variable names. */
export type SettingSource = 'flag' | 'env' | 'file' | 'default';

export type SettingSources = Readonly<Record<SettingName, SettingSource>>;
export type Settings = SettingValues & Readonly<{ sources: SettingSources }>;

export type SettingsInput = Readonly<{
  /** The text of each flag that was given. */
  flags: Readonly<Partial<Record<SettingName, string>>>;
  env: Readonly<Record<string, string | undefined>>;
  readFile: (path: string) => string;
}>;

export type SettingsRead =
  | Readonly<{ settings: Settings; warnings: readonly string[] }>
  | Readonly<{ refusals: readonly Refusal[] }>;

/** All that is wrong is answered at once. */
export function readSettings(input: SettingsInput): SettingsRead {
  const refusals: Refusal[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  const sources: Partial<Record<SettingName, SettingSource>> = {};
  for (const name of settingNames()) {
    const read = readSetting(input, name);
    if (isRefusal(read)) {
      refusals.push(read);
    } else {
      values[name] = read.value;
      sources[name] = read.source;
    }
  }
  if (refusals.length > 0) return { refusals };
  assert.ok(hasAllValues(values) && hasAllSources(sources));
  return { settings: { ...values, sources }, warnings: unknownVariables(input.env) };
}

export const settingNames = (): readonly SettingName[] =>
  Object.keys(settingsTable).filter(isSettingName);

const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingsTable, name);

type Read = Readonly<{ value: unknown; source: SettingSource }>;

function readSetting(input: SettingsInput, name: SettingName): Read | Refusal {
  const setting = settingsTable[name];
  const found = findText(input, name);
  if (isRefusal(found)) return found;
  if (found === null) return { value: setting.fallback, source: 'default' };
  const parsed = setting.schema.safeParse(found.text);
  if (parsed.success) return { value: parsed.data, source: found.source };
  const must = parsed.error.issues[0]?.message ?? 'is not valid';
  // A secret's value is not repeated: messages end in logs.
  const was = setting.secret ? '' : `, was ${JSON.stringify(found.text)}`;
  return refuse('invalid', `${found.from} ${must}${was}`, { param: name });
}

type Found = Readonly<{ text: string; source: SettingSource; from: string }>;

function findText(input: SettingsInput, name: SettingName): Found | Refusal | null {
  const setting: Setting = settingsTable[name];
  const flag = input.flags[name];
  if (flag !== undefined) return { text: flag, source: 'flag', from: longFlag(setting) };
  const { variable, secret } = setting;
  const text = input.env[variable] ?? '';
  const file = secret ? (input.env[`${variable}_FILE`] ?? '') : '';
  if (text !== '' && file !== '') {
    return refuse('invalid', `${variable} and ${variable}_FILE are both set`, { param: name });
  }
  if (file !== '') return fromFile(input, { name, variable: `${variable}_FILE`, file });
  // Kubernetes sets GW_PORT to such an address when there is a Service named gw.
  if (text === '' || text.startsWith('tcp://')) return null;
  return { text, source: 'env', from: variable };
}

/** `--port` of `-p,--port`. */
export const longFlag = (setting: Pick<Setting, 'flag' | 'variable'>): string =>
  setting.flag?.split(',').at(-1) ?? setting.variable;

type FileSource = Readonly<{ name: SettingName; variable: string; file: string }>;

function fromFile(input: SettingsInput, { name, variable, file }: FileSource): Found | Refusal {
  try {
    return { text: input.readFile(file).replace(/\r?\n$/, ''), source: 'file', from: variable };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return refuse('invalid', `${variable} names ${file}, which cannot be read${why}`, {
      param: name,
    });
  }
}

type Partly<Value> = Partial<Record<SettingName, Value>>;

const isComplete = (record: Partly<unknown>): boolean =>
  settingNames().every((name) => Object.hasOwn(record, name));

/** Each value came out of its own setting's schema or is its fallback, so completeness is all there is to check. */
const hasAllValues = (values: Partly<unknown>): values is SettingValues => isComplete(values);

const hasAllSources = (sources: Partly<SettingSource>): sources is SettingSources =>
  isComplete(sources);

const misspeltDistanceMax = 4;

/** A mistyped name would otherwise be a setting that silently does nothing. */
function unknownVariables(env: SettingsInput['env']): readonly string[] {
  const known = [...otherVariables];
  for (const { variable, secret } of Object.values(settingsTable)) {
    known.push(variable);
    if (secret) known.push(`${variable}_FILE`);
  }
  return Object.keys(env)
    .filter((name) => name.startsWith('GW_') && !known.includes(name))
    .filter((name) => !isServiceLink(name, env[name]))
    .map((name) => {
      const near = nearest(name, known, { distanceMax: misspeltDistanceMax });
      return near === null
        ? `${name} is not a setting of this program`
        : `${name} is not a setting of this program; did you mean ${near}?`;
    });
}

/** Kubernetes describes a Service named gw, or gw-…, in variables of these forms. */
const isServiceLink = (name: string, value = ''): boolean =>
  value.startsWith('tcp://') || /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/.test(name);
