// Parses a configuration file from the text in a test.

import assert from 'node:assert/strict';

import { checkConfigFile } from '../../../src/snapshot/file-mode.ts';
import type { FileAccess, FileCheck, FileSnapshot } from '../../../src/snapshot/file-mode.ts';
import { issueText, readSource } from '../../../src/snapshot/file/source.ts';
import type { Environment } from '../../../src/snapshot/file/source.ts';

export const checkText = (
  text: string,
  environment: Environment = {},
  access?: FileAccess,
): FileCheck => checkConfigFile(readSource(text, environment), environment, access);

export function fileOfText(
  text: string,
  environment: Environment = {},
  access?: FileAccess,
): FileSnapshot {
  const { file, errors } = checkText(text, environment, access);
  assert.ok(file !== null, errors.map(issueText).join('\n'));
  return file;
}
