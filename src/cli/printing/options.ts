// Turns tables of settings into options of a command, and reads the given options.

import { Option } from 'clipanion';
import type { Command } from 'clipanion';

import { settingsTable } from '../settings/settings-table.ts';
import type { Setting, SettingTable } from '../settings/setting.ts';
import type { SettingName } from '../settings/settings-table.ts';
import { settingNames } from '../settings/settings.ts';

/** One option per setting with a flag, for `Object.assign` in a command's constructor. */
export function settingOptions(
  names: readonly SettingName[] = settingNames(),
): Readonly<Partial<Record<SettingName, unknown>>> {
  return tableOptions(Object.fromEntries(names.map((name) => [name, settingsTable[name]])));
}

export function tableOptions(table: SettingTable): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    if (setting.flag !== null) options[name] = optionOf(setting.flag, setting);
  }
  return options;
}

function optionOf(flag: string, setting: Setting): unknown {
  const description = helpLine(setting);
  if (setting.repeatable) return Option.Array(flag, { description });
  const tolerateBoolean = typeof setting.fallback === 'boolean';
  return Option.String(flag, { description, tolerateBoolean });
}

/** The texts that clipanion stored on the command. */
export const givenFlags = (command: Command): Readonly<Partial<Record<SettingName, string>>> =>
  flagsOf(command, settingsTable);

export function flagsOf<Table extends SettingTable>(
  command: Command,
  table: Table,
): Readonly<Partial<Record<keyof Table, string>>> {
  const flags: Partial<Record<keyof Table, string>> = {};
  for (const name in table) {
    const value: unknown = Reflect.get(command, name);
    if (typeof value === 'string' || typeof value === 'boolean') flags[name] = String(value);
    if (Array.isArray(value)) flags[name] = value.join(',');
  }
  return flags;
}

function helpLine({ description, variable, secret, fallback, unit }: Setting): string {
  const variables = secret ? `${variable}, ${variable}_FILE` : variable;
  const shown = typeof fallback === 'string' || typeof fallback === 'number' ? `${fallback}` : '';
  const standard = shown === '' ? '' : `; default ${shown}${unit === null ? '' : ` ${unit}`}`;
  return `${description} (${variables}${standard})`;
}
