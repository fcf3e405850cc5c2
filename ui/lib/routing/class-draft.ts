// Reads the form of a prompt class and its pasted examples.

import type { FrontendModel, PromptClass } from '../../api/records.ts';
import { differing, textOrNull, whenRead, wrong } from '../saves/draft.ts';
import type { Read, Wrong } from '../saves/draft.ts';
import { formOf, list, name, text } from '../saves/typed.ts';
import { linesOf } from '../text/lines.ts';
import { ruleName } from './rule-name.ts';

const form = formOf({
  name,
  description: text,
  tier: {
    write: (tier: PromptClass['tier']): string => tier,
    read: (given: string) => (given === 'refined' ? given : 'fast'),
    must: '',
  },
  min_margin: {
    write: String,
    read: readMargin,
    must: 'must be a number from 0 to 2, for example 0.1',
  },
  /** Names of classes. */
  refines: { ...list, read: (given: string) => linesOf(given).toSorted() },
});

function readMargin(given: string): number | undefined {
  const margin = /^\d*\.?\d+$/.test(given.trim()) ? Number(given) : NaN;
  return margin >= 0 && margin <= 2 ? margin : undefined;
}

/** Only new classes take examples here. Labels are one per line, in the order of the examples. */
export type ClassDraft = typeof form.blank & Readonly<{ examples: string; labels: string }>;

const noExamples = { examples: '', labels: '' };

export const blankClass: ClassDraft = {
  ...form.blank,
  ...noExamples,
  tier: 'fast',
  min_margin: '0.1',
};

export const fromClass = (one: PromptClass): ClassDraft => ({ ...form.write(one), ...noExamples });

/** Per creation. */
export const createdMax = 200;
const lengthMax = 8_000;
const labelMax = 100;

export type PastedExample = Readonly<{ prompt: string; label: string | null }>;

type Pasted = Readonly<{ examples: string; labels: string }>;

/**
 * Examples are separated by blank lines if there are any, otherwise one per line. The label on line n belongs to example n; a blank line
 * means no label. Duplicates are dropped.
 */
export function readExamples({ examples, labels }: Pasted): readonly PastedExample[] {
  const given = readLabels(labels);
  const read = new Map<string, PastedExample>();
  for (const [index, prompt] of readPrompts(examples).entries()) {
    if (!read.has(prompt)) read.set(prompt, { prompt, label: given[index] ?? null });
  }
  return [...read.values()];
}

function readPrompts(text: string): readonly string[] {
  const plain = plainLines(text).trim();
  const parts = /\n[ \t]*\n/.test(plain) ? plain.split(/\n(?:[ \t]*\n)+/) : plain.split('\n');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const readLabels = (text: string): readonly (string | null)[] =>
  plainLines(text)
    .trimEnd()
    .split('\n')
    .map((line) => textOrNull(line));

const plainLines = (text: string): string => text.replaceAll('\r\n', '\n');

/** The first problem that the server would refuse, with the number of the example or label. */
export function wrongExamples(pasted: Pasted, max = createdMax): Wrong | null {
  const prompts = readPrompts(pasted.examples);
  const { length } = readExamples(pasted);
  if (length > max)
    return wrong('examples', `enter at most ${max} examples at once, not ${length}`);
  const long = prompts.findIndex((prompt) => prompt.length > lengthMax);
  if (long !== -1) {
    return wrong('examples', `example ${long + 1} is longer than 8,000 characters`);
  }
  const labels = readLabels(pasted.labels);
  const longLabel = labels.findIndex((label) => (label ?? '').length > labelMax);
  if (longLabel !== -1) {
    return wrong('labels', `label ${longLabel + 1} is longer than ${labelMax} characters`);
  }
  const isFilled = labels.some((label) => label !== null);
  return isFilled && labels.length > prompts.length
    ? wrong('labels', `${labels.length} labels are given for ${prompts.length} examples`)
    : null;
}

export type ClassBody = Parameters<typeof form.write>[0];

export const classBody = (draft: ClassDraft): Read<ClassBody> =>
  form.read(draft.tier === 'refined' ? draft : { ...draft, refines: '' });

/** Only changed fields. */
export const classChange = (draft: ClassDraft, one: PromptClass): Read<Partial<ClassBody>> =>
  whenRead(classBody(draft), (body) => ({
    body: differing(body, { ...one, refines: one.refines.toSorted() }),
  }));

export type ClassUser = Readonly<{ id: number; name: string; rules: readonly string[] }>;

export const askersOf = (
  { name }: Pick<PromptClass, 'name'>,
  frontendModels: readonly FrontendModel[],
): readonly ClassUser[] =>
  frontendModels.flatMap((one) => {
    const rules = one.rules.flatMap((rule) => (rule.class === name ? [ruleName(rule)] : []));
    return rules.length === 0 ? [] : [{ id: one.id, name: one.name, rules }];
  });
