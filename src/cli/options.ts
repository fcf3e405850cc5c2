// Turns the settings table into options of a command, and the options that were given back into texts.

import { Option } from 'clipanion';
import type { Command } from 'clipanion';

import { settingsTable } from './settings-table.ts';
import type { Setting } from './setting.ts';
import type { SettingName } from './settings-table.ts';
import { settingNames } from './settings.ts';

/** For `Object.assign` in a command's constructor: one option for each setting that has a flag. */
export function settingOptions(
  names: readonly SettingName[] = settingNames(),
): Readonly<Partial<Record<SettingName, unknown>>> {
  const options: Partial<Record<SettingName, unknown>> = {};
  for (const name of names) {
    const setting: Setting = settingsTable[name];
    if (setting.flag === null) continue;
    const tolerateBoolean = typeof setting.fallback === 'boolean';
    options[name] = Option.String(setting.flag, {
      description: helpLine(setting),
      tolerateBoolean,
    });
  }
  return options;
}

/** The texts that clipanion left on the command in place of its options. */
export function givenFlags(command: Command): Readonly<Partial<Record<SettingName, string>>> {
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames()) {
    const value: unknown = Reflect.get(command, name);
    if (typeof value === 'string' || typeof value === 'boolean') flags[name] = String(value);
  }
  return flags;
}

function helpLine({ description, variable, secret, fallback, unit }: Setting): string {
  const variables = secret ? `${variable}, ${variable}_FILE` : variable;
  const shown = typeof fallback === 'string' || typeof fallback === 'number' ? `${fallback}` : '';
  const standard = shown === '' ? '' : `; default ${shown}${unit === null ? '' : ` ${unit}`}`;
  return `${description} (${variables}${standard})`;
}
