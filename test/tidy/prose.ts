// Extracts the text that people read from a source file or a page, and finds phrases that need a second reading.

import path from 'node:path';

import { parseSync, Visitor } from 'oxc-parser';

import type { SourceFile } from './tree.ts';

export type Kind = 'comment' | 'string' | 'page';
export type Prose = Readonly<{ kind: Kind; line: number; text: string }>;
type Found = Readonly<{ kind: Kind; start: number; text: string }>;

/** Text with at least two words. Identifiers, paths and numbers are not prose. */
const isProse = (text: string): boolean => /[A-Za-z]{2,}[,:;.]?\s+[A-Za-z]/.test(text);

const withoutMarkers = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join('\n')
    .trim();

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

type Comment = Readonly<{ type: 'Line' | 'Block'; value: string; start: number; end: number }>;

/** Line comments that follow each other are one text. */
function joinedComments(source: string, comments: readonly Comment[]): readonly Found[] {
  const found: { kind: Kind; start: number; end: number; text: string }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = found.at(-1);
    const follows =
      type === 'Line' && last !== undefined && /^\n[ \t]*$/.test(source.slice(last.end, start));
    if (!follows) {
      found.push({ kind: 'comment', start, end, text: withoutMarkers(value) });
      continue;
    }
    last.text += `\n${withoutMarkers(value)}`;
    last.end = end;
  }
  return found;
}

function stringsOf(program: ReturnType<typeof parseSync>['program']): readonly Found[] {
  const found: Found[] = [];
  const visitor = new Visitor({
    Literal({ value, start }) {
      if (typeof value === 'string') found.push({ kind: 'string', start, text: value });
    },
    TemplateLiteral({ quasis, start }) {
      const text = quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
      found.push({ kind: 'string', start, text });
    },
  });
  visitor.visit(program);
  return found;
}

function proseOfCode({ path: file, text }: SourceFile): readonly Prose[] {
  const { program, comments } = parseSync(path.basename(file), text);
  const lineAt = lineCounter(text);
  return [...joinedComments(text, comments), ...stringsOf(program)]
    .filter((found) => isProse(found.text))
    .toSorted((one, other) => one.start - other.start)
    .map(({ kind, start, text: words }) => ({ kind, line: lineAt(start), text: words }));
}

/** Paragraphs, list items, headings and table rows; code is left out. */
function proseOfPage({ text }: SourceFile): readonly Prose[] {
  const found: { kind: Kind; line: number; text: string }[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const own = isCode || /^\s*(```|~~~|$)/.test(line) ? null : line.replaceAll(/`[^`]*`/g, '`…`');
    if (own === null) {
      isOpen = false;
      continue;
    }
    const begins = !isOpen || /^\s*([-*+] |\d+\. |#|\||>)/.test(own);
    const last = found.at(-1);
    if (begins || last === undefined) found.push({ kind: 'page', line: index + 1, text: own });
    else last.text += `\n${own}`;
    isOpen = true;
  }
  return found.filter(({ text: words }) => isProse(words));
}

export const proseOf = (file: SourceFile): readonly Prose[] =>
  file.path.endsWith('.md') ? proseOfPage(file) : proseOfCode(file);

type Ban = Readonly<{ phrase: RegExp; instead: string; kinds?: readonly Kind[] }>;

/** "Behind" is plain English of a replica that lags and of a program after a proxy. */
const amount = String.raw`\b(far|falls?|fallen|fell|falling|lags?|lagging|left|versions?|events?|ms) `;
const layer = '(proxy|proxies|balancer|gateway|ingress|forwarder|firewall|NAT|TLS|PgBouncer)';
const behind = new RegExp(`(?<!${amount})\\bbehind\\b(?! (\\S+ ){0,2}${layer})`, 'i');

/** Phrases with a plainer form (docs/STYLE.md). */
export const bans: readonly Ban[] = [
  { phrase: /\banew\b/i, instead: 'again' },
  { phrase: /\bwho(so)?ever\b/i, instead: 'anyone who' },
  { phrase: /\bwhatever becomes\b/i, instead: 'what happens to' },
  { phrase: /\bbeside\b/i, instead: 'next to, in addition to, as well as, concurrent with' },
  {
    phrase: behind,
    instead: 'after, later than; "behind" is of a proxy or of lag',
  },
  {
    phrase: /(?<!\bthere )\b(is|are) no (?!longer\b|more than\b|less than\b|later than\b|one\b)/i,
    instead: 'is not a, has no, there is no',
  },
  { phrase: /\bso (many|much)\b/i, instead: 'the number, this many' },
  { phrase: /\bstands? for\b/i, instead: 'means, represents' },
  { phrase: /\b(is|are|was|were|be|been) had\b/i, instead: 'is held, was acquired' },
  { phrase: /\bmeanwhile\b/i, instead: 'concurrently, in the meantime' },
  { phrase: /\bnobody\b/i, instead: 'no one, or name the thing: not approved yet' },
  { phrase: /\b(thereof|therein|whereof|wherein|whence|thence|lest)\b/i, instead: 'a plain word' },
  { phrase: /\b(nothing|none|no one) but\b/i, instead: 'only' },
  { phrase: /\b(is|are|was|were) (un)?said\b/i, instead: 'is stated, is reported' },
  { phrase: /\bgives? way\b/i, instead: 'yields, is overridden' },
  { phrase: /\bwhat (it|that|this|they) comes? to\b/i, instead: 'the result, the total' },
  { phrase: /\bcomes? of (it|that|this)\b/i, instead: 'follows' },
  { phrase: /\b(is|are) to be\b/i, instead: 'must be' },
  {
    phrase: /^(Of|As(?! (soon|long|of)\b)|By what|What|Who|Whom|Whose|Whether|How|Why|Where)\b/,
    instead: 'a sentence with a subject and a verb',
    kinds: ['comment'],
  },
];

const wordsPerSentenceMax = 30;

/** Sentences of a page that are too long to read once. Table rows and lists of links are not sentences. */
function longSentences({ kind, text }: Prose): readonly string[] {
  if (kind !== 'page' || text.startsWith('|') || text.startsWith('<')) return [];
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/(?<=[.!?:;])\s+/)
    .filter((sentence) => sentence.split(/\s+/).length > wordsPerSentenceMax)
    .map((sentence) => `over ${wordsPerSentenceMax} words: ${sentence.slice(0, 60)}`);
}

const phrasesIn = ({ kind, text }: Prose): readonly string[] =>
  bans
    .filter(({ phrase, kinds }) => (kinds?.includes(kind) ?? true) && phrase.test(text))
    .map(({ phrase, instead }) => `"${phrase.exec(text)?.[0]}" (${instead})`);

/** The places of a file that have to be read twice, one line each. */
export const hardToRead = (file: SourceFile): readonly string[] =>
  proseOf(file).flatMap((prose) =>
    phrasesIn(prose)
      .concat(longSentences(prose))
      .map((found) => `${file.path}:${prose.line} ${found}`),
  );
