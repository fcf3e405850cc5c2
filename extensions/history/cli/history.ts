// Defines the commands that read the history: mutations, events, and one event in full.

import { Option } from 'clipanion';

import { eventMetadata } from '../../../events/event.ts';
import type { ChangeWords } from '../../../src/control/history/change-words.ts';
import type { HistoryCommand as MadeCommand } from '../../../projections/history-command.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { timestampField } from '../../../src/lib/fields.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import {
  HistoryCommand,
  readLimit,
  readNumber,
} from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';
import { eventLine } from '../../../src/cli/printing/history-lines.ts';
import { commandWords, pageOf } from '../../../src/cli/printing/next-page.ts';
import type { GivenFlag } from '../../../src/cli/printing/next-page.ts';

const needs = 'Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.';

const actorKinds = eventMetadata.shape.actor.shape.kind;
type ActorKind = (typeof actorKinds.options)[number];

/** Newest first. */
abstract class ListCommand extends HistoryCommand {
  stream = Option.String('--stream', {
    description: 'only this entity, as <kind>-<id>, for example model-7',
  });
  from = Option.String('--from', { description: 'only since this RFC 3339 time' });
  to = Option.String('--to', { description: 'only before this RFC 3339 time' });
  actor = Option.String('--actor', { description: 'only by this principal: its id' });
  before = Option.String('--before', {
    description: 'only entries before this one: the number at the start of its line',
  });
  requestId = Option.String('--request-id', { description: 'only by this request: its id' });
  actorKind = Option.String('--actor-kind', {
    description: 'only by session, api_key, cli, agent, …',
  });
  limit = Option.String('--limit', '50', { description: 'maximum number of entries (default 50)' });

  /** Reads one more than it shows, to know whether there are more. */
  protected filter() {
    const limit = readLimit(this.limit);
    if (isRefusal(limit)) return limit;
    const from = readTime(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = readTime(this.to, '--to');
    if (isRefusal(to)) return to;
    const actorId = readNumber(this.actor, '--actor must be the id of a principal');
    if (isRefusal(actorId)) return actorId;
    // In the order of the list.
    const after = readNumber(this.before, '--before must be the number of a line');
    if (isRefusal(after)) return after;
    const actorKind = readActorKind(this.actorKind);
    if (isRefusal(actorKind)) return actorKind;
    const [stream, requestId] = [this.stream ?? null, this.requestId ?? null];
    const asked = { stream, from, to, actorId, actorKind, requestId, after };
    return { shown: limit, asked: { ...asked, limit: limit + 1, order: 'desc' } } as const;
  }

  /** Names the row after which the next page starts. */
  protected onward(number: number, own: readonly GivenFlag[]): string[] {
    return commandWords(this.path, [
      ...own,
      ['--stream', this.stream],
      ['--from', this.from],
      ['--to', this.to],
      ['--actor', this.actor],
      ['--request-id', this.requestId],
      ['--actor-kind', this.actorKind],
      ['--limit', this.limit],
      ['--before', String(number)],
    ]);
  }
}

function readTime(given: string | undefined, flag: string): string | Refusal | null {
  if (given === undefined) return null;
  const read = timestampField.safeParse(given);
  if (read.success) return read.data;
  return refuse('invalid', `${flag} must be an RFC 3339 time, was ${JSON.stringify(given)}`);
}

function readActorKind(given: string | undefined): ActorKind | Refusal | null {
  if (given === undefined) return null;
  const read = actorKinds.safeParse(given);
  if (read.success) return read.data;
  const kinds = actorKinds.options.join(', ');
  return refuse('invalid', `--actor-kind must be one of ${kinds}, was ${JSON.stringify(given)}`);
}

export class HistoryCommandsCommand extends ListCommand {
  static override paths = [['history', 'commands']];
  static override usage = HistoryCommand.Usage({
    description: 'list the changes with author, time and reason',
    details: `Newest first, each with the snapshot versions before and after it. ${needs}`,
    examples: [['List the changes of one model', '$0 history commands --stream model-7']],
  });

  command = Option.String('--command', {
    description: 'only this command, for example DeleteModel',
  });

  protected override async read({ reports, vault }: ControlPlane): Promise<Printed | Refusal> {
    const filter = this.filter();
    if (isRefusal(filter)) return filter;
    const { historyCommands } = await import('../../../src/control/history/commands.ts');
    const asked = { ...filter.asked, command: this.command ?? null };
    const { withWords } = await import('../../../src/control/history/change-words.ts');
    const sources = { db: reports, vault };
    const found = await withWords(sources, await historyCommands(sources, asked));
    const own = [['--command', this.command]] as const;
    const { rows, next } = pageOf(found, filter.shown, ({ id }) => this.onward(id, own));
    return { json: rows, text: rows.map(commandLine).join('\n') || 'none', next };
  }
}

function commandLine(made: Omit<MadeCommand, 'stream'> & ChangeWords): string {
  const { id, at, actor_name, summary, subject, version_before, version_after, reason } = made;
  const versions =
    version_before === version_after ? '' : `  v${version_before} -> v${version_after}`;
  const why = made.reason_erased ? '  (reason erased)' : reason === null ? '' : `  (${reason})`;
  const who = actor_name ?? 'someone erased';
  return `${id}  ${at}  ${who}  ${summary}  ${subject.stream}${versions}${why}`;
}

export class HistoryEventsCommand extends ListCommand {
  static override paths = [['history', 'events']];
  static override usage = HistoryCommand.Usage({
    description: 'list the events of the log',
    details: `Newest first. ${needs}`,
    examples: [['List created keys', '$0 history events --type ApiKeyCreated']],
  });

  type = Option.String('--type', { description: 'only this type, for example ModelCreated' });

  protected override async read({ reports }: ControlPlane): Promise<Printed | Refusal> {
    const filter = this.filter();
    if (isRefusal(filter)) return filter;
    const { historyEvents } = await import('../../../src/control/history/events.ts');
    const asked = { ...filter.asked, type: this.type ?? null };
    const found = await historyEvents(reports, asked);
    const own = [['--type', this.type]] as const;
    const { rows, next } = pageOf(found, filter.shown, ({ position }) =>
      this.onward(position, own),
    );
    return { json: rows, text: rows.map(eventLine).join('\n') || 'none', next };
  }
}

export class HistoryEventCommand extends HistoryCommand {
  static override paths = [['history', 'event']];
  static override usage = HistoryCommand.Usage({
    description: 'show one event with its hashes',
    details: `Prints JSON. ${needs}`,
    examples: [['Show the event at position 1482', '$0 history event 1482']],
  });

  position = Option.String({ name: 'position' });

  protected override async read({ reports }: ControlPlane): Promise<Printed | Refusal> {
    if (!/^[1-9]\d{0,14}$/.test(this.position)) {
      const was = JSON.stringify(this.position);
      return refuse('invalid', `position must be a whole number from 1, was ${was}`);
    }
    const { historyEvent } = await import('../../../src/control/history/events.ts');
    const event = await historyEvent(reports, Number(this.position));
    return isRefusal(event) ? event : { json: event, text: JSON.stringify(event, null, 2) };
  }
}
