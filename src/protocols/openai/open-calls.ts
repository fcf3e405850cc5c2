// Assembles the deltas of tool calls. Servers identify calls by index, by id, or not at all.

import { JsonProgress } from './json-progress.ts';
import type { CallPiece } from './read-calls.ts';

export type OpenCall = {
  /** The server's index, or its id if there is no index. */
  readonly key: string;
  id: string | null;
  name: string | null;
  readonly progress: JsonProgress;
  /** Arguments that have not been written yet. */
  waiting: string;
};

/** The call that the delta belongs to, which may be a new one. Null if that is unknown. */
export function pushPiece(calls: OpenCall[], piece: CallPiece): OpenCall | null {
  const call = callOf(calls, piece);
  if (call === null) return null;
  call.id ??= piece.id;
  call.name ??= piece.name;
  call.progress.push(piece.arguments);
  call.waiting += piece.arguments;
  return call;
}

function callOf(calls: OpenCall[], piece: CallPiece): OpenCall | null {
  const key = piece.index === null ? null : String(piece.index);
  const known =
    key === null
      ? calls.findLast(({ id }) => piece.id === null || id === piece.id)
      : calls.findLast((call) => call.key === key);
  if (known !== undefined && !isAnother(known, piece)) return known;
  if (piece.name === null && piece.id === null) return known ?? null;
  const call: OpenCall = {
    key: key ?? piece.id ?? '',
    id: null,
    name: null,
    progress: new JsonProgress(),
    waiting: '',
  };
  calls.push(call);
  return call;
}

/**
 * Servers that give every call index 0, or none, still give each its name. Servers that create an
 * id for every delta send the name once.
 */
function isAnother(known: OpenCall, piece: CallPiece): boolean {
  if (piece.name === null) return false;
  const isNewId = piece.id !== null && known.id !== null && piece.id !== known.id;
  return isNewId || ((piece.id !== known.id || piece.id === null) && known.progress.isWhole);
}
