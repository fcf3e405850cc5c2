// Decides the value and source of every setting: flag, then environment, then default.

import assert from 'node:assert/strict';

import { plainly, ruleText } from '../../lib/plain-issue.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { agentSettings } from './agent-settings.ts';
import { nearest } from '../printing/nearest.ts';
import { operatorSettings } from './operator-settings.ts';
import { hasAll, longFlag } from './setting.ts';
import type { Setting, SettingSource, SettingTable, ValuesOf } from './setting.ts';
import { otherVariables } from './other-variables.ts';
import { settingsTable } from './settings-table.ts';
import type { SettingName, SettingsTable } from './settings-table.ts';

export type SettingsOf<Table extends SettingTable> = ValuesOf<Table> &
  Readonly<{ sources: Readonly<Record<keyof Table, SettingSource>> }>;
export type Settings = SettingsOf<SettingsTable>;

export type TableInput<Table extends SettingTable> = Readonly<{
  flags: Readonly<Partial<Record<keyof Table, string>>>;
  env: Readonly<Record<string, string | undefined>>;
  readFile: (path: string) => string;
}>;
export type SettingsInput = TableInput<SettingsTable>;

export type TableRead<Table extends SettingTable> =
  | Readonly<{ settings: SettingsOf<Table>; warnings: readonly string[] }>
  | Readonly<{ refusals: readonly Refusal[] }>;

export const readSettings = (input: SettingsInput): TableRead<SettingsTable> =>
  readTable(settingsTable, input);

/** Reports all problems at once. */
export function readTable<Table extends SettingTable>(
  table: Table,
  input: TableInput<Table>,
): TableRead<Table> {
  const refusals: Refusal[] = [];
  const values: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  for (const [name, setting] of Object.entries(table)) {
    const read = readSetting(input, { ...setting, name, flagText: input.flags[name] });
    if (isRefusal(read)) {
      refusals.push(read);
    } else {
      values[name] = read.value;
      sources[name] = read.source;
    }
  }
  if (refusals.length > 0) return { refusals };
  const settings = { ...values, sources };
  assert.ok(isWhole(table, settings));
  return { settings, warnings: unknownVariables(input.env) };
}

const isWhole = <Table extends SettingTable>(
  table: Table,
  settings: Readonly<{ sources: object }>,
): settings is SettingsOf<Table> =>
  hasAll(table, settings) && Object.keys(table).every((name) => name in settings.sources);

export const settingNames = (): readonly SettingName[] =>
  Object.keys(settingsTable).filter(isSettingName);

const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingsTable, name);

type Read = Readonly<{ value: unknown; source: SettingSource }>;
type Asked = Setting & Readonly<{ name: string; flagText: string | undefined }>;
type Surroundings = Pick<SettingsInput, 'env' | 'readFile'>;

function readSetting(input: Surroundings, asked: Asked): Read | Refusal {
  const found = findText(input, asked);
  if (isRefusal(found)) return found;
  if (found === null) return { value: asked.fallback, source: 'default' };
  const parsed = asked.schema.safeParse(found.text, plainly);
  if (parsed.success) return { value: parsed.data, source: found.source };
  const must = ruleText(parsed.error);
  // Secrets are not repeated, because messages reach logs.
  const was = asked.secret ? '' : `, was ${JSON.stringify(found.text)}`;
  return refuse('invalid', `${found.from} ${must}${was}`, { param: asked.name });
}

type Found = Readonly<{ text: string; source: SettingSource; from: string }>;

function findText(input: Surroundings, asked: Asked): Found | Refusal | null {
  const { name, flagText, variable, secret } = asked;
  if (flagText !== undefined) return { text: flagText, source: 'flag', from: longFlag(asked) };
  const text = input.env[variable] ?? '';
  const file = secret ? (input.env[`${variable}_FILE`] ?? '') : '';
  if (text !== '' && file !== '') {
    return refuse('invalid', `${variable} and ${variable}_FILE are both set`, { param: name });
  }
  if (file !== '') return fromFile(input, { name, variable: `${variable}_FILE`, file });
  // Kubernetes sets GW_PORT to such an address if a Service is named gw.
  if (text === '' || text.startsWith('tcp://')) return null;
  return { text, source: 'env', from: variable };
}

type FileSource = Readonly<{ name: string; variable: string; file: string }>;

function fromFile(input: Surroundings, { name, variable, file }: FileSource): Found | Refusal {
  try {
    return { text: input.readFile(file).replace(/\r?\n$/, ''), source: 'file', from: variable };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return refuse('invalid', `${variable} names ${file}, which cannot be read${why}`, {
      param: name,
    });
  }
}

const misspeltDistanceMax = 4;

/** Mistyped names would otherwise be ignored silently. */
function unknownVariables(env: SettingsInput['env']): readonly string[] {
  const known = [...otherVariables];
  for (const { variable, secret } of allSettings()) {
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

/** All tables, because one environment may serve several commands. */
const allSettings = (): readonly Setting[] =>
  [settingsTable, agentSettings, operatorSettings].flatMap((table) =>
    Object.values<Setting>(table),
  );

/** Kubernetes describes Services named gw or gw-… in these variables. */
const isServiceLink = (name: string, value = ''): boolean =>
  value.startsWith('tcp://') || /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/.test(name);
