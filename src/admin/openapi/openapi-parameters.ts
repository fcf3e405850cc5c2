// Describes each path and query parameter for the OpenAPI document. A test fails for one without a
// description.

import { rowsMax } from '../http/fields.ts';
import type { Route } from '../http/route.ts';

const cursor = 'Opaque cursor of the next page. Take it from the Link header of the previous page.';
const lastId =
  'The id of the last row you have; the response starts after it, in the requested order.';

/** Keys are parameter names, or `<operation>.<name>` where the meaning differs. */
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
  'listWebhookDeliveries.after': lastId,
  'listStreams.after': 'The name of the last stream you have.',
  at_least:
    'The version that the caller has; the control plane reads the log to its head before it returns an older one.',
  before: 'Only rows with a smaller id.',
  'listSnapshots.before': 'Only versions smaller than this one.',
  bucket:
    'The width of a bucket in seconds. It is increased until the range has at most 720 buckets.',
  cached: 'Only requests that the response cache answered, or only others.',
  command: 'Only mutations by this command, such as CreateProvider.',
  cost_micros_below: 'Only requests that cost less, in millionths of a US dollar.',
  cost_micros_from: 'Only requests that cost at least this, in millionths of a US dollar.',
  delivery: 'The id of the delivery.',
  duration_ms_below: 'Only requests that took less time, in milliseconds.',
  duration_ms_from: 'Only requests that took at least this long, in milliseconds.',
  example_id: 'The id of the example.',
  from: 'The start of the range (inclusive).',
  'exportLog.from': 'The first log position. Default 1.',
  group_by: 'The field to group by; `all` returns one total.',
  id: 'The id of the record.',
  'explainUsage.id': 'The id of the usage row (a ULID).',
  'listUsageEvents.id': 'Only the row with this id.',
  include: '`breakdown` adds the cost by price and the corrected cost.',
  increase: 'The id of the increase, which is unique within its budget.',
  kind: 'Only differences of this kind of entity.',
  key_id: 'Only requests with the API key with this id.',
  limit: `The maximum number of rows. More than ${rowsMax} is read as ${rowsMax}.`,
  model: 'Only requests that this provider model served.',
  name: 'The name of the role.',
  offset: 'How many differences to skip.',
  order: '`asc` is oldest first, `desc` is newest first.',
  outcome:
    'Only requests that failed (refused, not answered, or a status from 400), or only others.',
  part: 'Only streams whose name contains this text (case-insensitive).',
  path: 'Only requests to this path of the gateway, such as /v1/messages.',
  position: 'The log position of the event.',
  priced: 'Only requests with a cost, or only those without.',
  principal_id: 'Only requests of this principal.',
  prompt_class: 'Only requests whose prompt was of this class.',
  provider: 'Only requests that this provider served.',
  q: 'Only records with a text that contains this (case-insensitive).',
  refusal: 'Only requests that were refused for this reason.',
  replica: 'Only requests that this replica of the gateway served.',
  request_id: 'Only entries of the request with this id.',
  role: 'The name of the role.',
  service_tier: 'Only requests that the provider served in this tier.',
  since: 'Only rows at or after this time.',
  'listWebhookDeliveries.state': 'Only deliveries in this state.',
  sort: 'The field to sort by; a leading minus sorts in descending order. Records without a value come last.',
  status:
    'Only requests with this status, such as 429; a class such as 5xx; or `none` without an answer.',
  stream: 'Only events of this stream, such as provider-7.',
  'listUsageEvents.stream': 'Only streamed requests, or only others.',
  tag: 'Only requests that a rule tagged with this text.',
  target: 'Only mutations whose path contains this text (case-insensitive).',
  to: 'The end of the range (exclusive).',
  'exportLog.to': 'The last log position. Defaults to the head of the log.',
  tokens_below: 'Only requests with fewer tokens, of prompt and completion together.',
  tokens_from: 'Only requests with at least this many tokens, of prompt and completion together.',
  ttft_ms_below: 'Only requests with a shorter time to the first token, in milliseconds.',
  ttft_ms_from: 'Only requests with at least this time to the first token, in milliseconds.',
  type: 'Only events of this type, such as ProviderCreated.',
  until: 'Only rows before this time.',
  virtual_model: 'Only requests that asked for this model name.',
  wait: 'How many seconds to wait for a snapshot that If-None-Match does not name.',
};

export const describeParameter = (
  { operation, parameters }: Pick<Route, 'operation' | 'parameters'>,
  name: string,
): string | undefined =>
  parameters?.[name] ??
  parameterDescriptions[`${operation.replace(/ByAlias$/, '')}.${name}`] ??
  parameterDescriptions[name];
