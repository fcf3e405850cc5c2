// What each parameter of a path or a query means, for the OpenAPI document. A parameter without a description fails a test.

import { rowsMax } from '../http/fields.ts';
import type { Route } from '../http/route.ts';

const cursor =
  'Opaque: where the next page begins. Take it from the Link header of the previous page.';
const lastId =
  'The id of the last row you have; the answer begins after it in the order asked for.';

/** By the name of a parameter, or by `<operation>.<name>` where it means something else. */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  action: 'Only mutations by this HTTP method, or CLI.',
  actor: 'Only mutations by the principal with this id.',
  actor_id: 'Only mutations by the principal with this id.',
  actor_kind: 'Only mutations by this kind of actor.',
  after: cursor,
  'listAudit.after': lastId,
  'listCommands.after': 'The log position of the last row you have.',
  'listEvents.after': 'The log position of the last event you have.',
  'listCheckpoints.after': 'The log position of the last checkpoint you have.',
  'listSnapshots.after': 'Only versions greater than this one.',
  'listChangeRequests.after': lastId,
  'listStreams.after': 'The name of the last stream you have.',
  at_least:
    'The version that the caller has; the control plane reads the log to its head before it answers with an older one.',
  author: 'Only change requests by the principal with this id.',
  before: 'Only rows with a smaller id.',
  'listSnapshots.before': 'Only versions smaller than this one.',
  bucket:
    'The width of a bucket in seconds. It is widened until the range has at most 720 buckets.',
  command: 'Only mutations by this command, such as CreateProvider.',
  example_id: 'The id of the example.',
  from: 'The beginning of the range; it belongs to the range.',
  'exportLog.from': 'The first log position; 1 when absent.',
  group_by: 'What the totals are grouped by; `all` adds everything up.',
  id: 'The id of the record.',
  'explainUsage.id': 'The id of the usage row (a ULID).',
  'listUsageEvents.id': 'Only the row with this id.',
  kind: 'Only differences of this kind of entity.',
  limit: `The maximum number of rows. More than ${rowsMax} is read as ${rowsMax}.`,
  model: 'Only requests that this provider model served.',
  name: 'The name of the role.',
  offset: 'How many differences to skip.',
  order: 'asc is oldest first, desc is newest first.',
  part: 'Only streams whose name contains this text, in upper or lower case.',
  position: 'The log position of the event.',
  principal_id: 'Only requests of this principal.',
  provider: 'Only requests that this provider served.',
  q: 'Only records of which a text contains this, in upper or lower case.',
  refusal: 'Only requests that were refused for this reason.',
  request_id: 'Only what the request with this id did.',
  role: 'The name of the role.',
  since: 'Only rows at or after this time.',
  state: 'Only change requests in this state.',
  sort: 'The field to sort by, with a minus for the reverse order. Records without a value come last.',
  stream: 'Only events of this stream, such as provider-7.',
  tag: 'Only requests that a rule tagged with this text.',
  target: 'Only mutations whose path contains this text, in upper or lower case.',
  to: 'The end of the range; it does not belong to the range.',
  'exportLog.to': 'The last log position; the head of the log when absent.',
  type: 'Only events of this type, such as ProviderCreated.',
  until: 'Only rows before this time.',
  virtual_model: 'Only requests that asked for this model name.',
  wait: 'How many seconds to wait for a snapshot other than the one that If-None-Match names.',
};

/** Undefined where none is written. */
export const describeParameter = (
  { operation }: Pick<Route, 'operation'>,
  name: string,
): string | undefined =>
  parameterDescriptions[`${operation.replace(/ByAlias$/, '')}.${name}`] ??
  parameterDescriptions[name];
