// Replaces the two spans of a body that the gateway writes: the model name and stream_options.include_usage (Gateway rule
// 11). All other bytes are sent upstream unchanged.

import { isTrueAt } from './peek.ts';
import type { Peeked, PeekedJson } from './peek.ts';

type Edit = Readonly<{ start: number; end: number; bytes: Buffer }>;

const wholeOption = Buffer.from('"stream_options":{"include_usage":true},');
const optionValue = Buffer.from('{"include_usage":true}');
const firstMember = Buffer.from('"include_usage":true,');
const onlyMember = Buffer.from('"include_usage":true');
const trueLiteral = Buffer.from('true');

export type SpliceOptions = Readonly<{
  /** The upstream name of the model. */
  model: string;
  /** The same name as a JSON string. */
  modelJson: Buffer;
  includeUsage: boolean;
}>;

/**
 * Returns the pieces of the new body: slices of the old one and inserted text. Nothing is copied.
 */
export function spliceBody(
  body: Buffer,
  peeked: Peeked,
  options: SpliceOptions,
): readonly Buffer[] {
  const name = peeked.format === 'json' ? options.modelJson : Buffer.from(options.model);
  const model = modelEdit(body, peeked, name);
  const asks = options.includeUsage && peeked.isStream && peeked.format === 'json';
  const usage = asks ? usageEdit(body, peeked) : null;
  if (model === null) return usage === null ? [body] : applyEdits(body, [usage]);
  if (usage === null) return applyEdits(body, [model]);
  return applyEdits(body, usage.start < model.start ? [usage, model] : [model, usage]);
}

const modelEdit = (body: Buffer, { modelSpan }: Peeked, name: Buffer): Edit | null =>
  isSame(body, modelSpan.start, modelSpan.end, name) ? null : { ...modelSpan, bytes: name };

function usageEdit(body: Buffer, peeked: PeekedJson): Edit | null {
  const options = peeked.streamOptions;
  if (options === null) return insert(peeked.open + 1, wholeOption);
  if (options.isNull) return { ...options.span, bytes: optionValue };
  if (options.includeUsage === null) {
    return insert(options.span.start + 1, options.isEmpty ? onlyMember : firstMember);
  }
  if (isTrueAt(body, options.includeUsage.start)) return null;
  return { ...options.includeUsage, bytes: trueLiteral };
}

const insert = (at: number, bytes: Buffer): Edit => ({ start: at, end: at, bytes });

const isSame = (body: Buffer, start: number, end: number, bytes: Buffer): boolean =>
  end - start === bytes.length && body.compare(bytes, 0, bytes.length, start, end) === 0;

/** Edits must be in order and must not overlap. */
function applyEdits(body: Buffer, edits: readonly Edit[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, bytes } of edits) {
    pieces.push(body.subarray(from, start), bytes);
    from = end;
  }
  pieces.push(body.subarray(from));
  return pieces;
}
