// The commands that read the history: one line a mutation, one line an event, and one event whole.

import { Option } from 'clipanion';

import type { HistoryCommand as MadeCommand } from '../../control/history/commands.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { timestampField } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { HistoryCommand, readLimit } from '../history-command.ts';
import type { Printed } from '../history-command.ts';
import { eventLine } from '../history-lines.ts';

const needs = 'Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.';

/** The newest first. */
abstract class ListCommand extends HistoryCommand {
  stream = Option.String('--stream', {
    description: 'of this entity alone, as <kind>-<id>: model-7',
  });
  from = Option.String('--from', { description: 'since this RFC 3339 time' });
  to = Option.String('--to', { description: 'before this RFC 3339 time' });
  actor = Option.String('--actor', { description: 'by this principal alone: its id' });
  before = Option.String('--before', {
    description: 'what lies before this: the number that a line begins with',
  });
  limit = Option.String('--limit', '50', { description: 'how many; default 50' });

  protected filter() {
    const limit = readLimit(this.limit);
    if (isRefusal(limit)) return limit;
    const from = readTime(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = readTime(this.to, '--to');
    if (isRefusal(to)) return to;
    const actorId = readNumber(this.actor, '--actor must be the id of a principal');
    if (isRefusal(actorId)) return actorId;
    // Behind it in the order of the list.
    const after = readNumber(this.before, '--before must be the number of a line');
    if (isRefusal(after)) return after;
    const stream = this.stream ?? null;
    return { stream, from, to, limit, actorId, after, order: 'desc' } as const;
  }
}

function readTime(given: string | undefined, flag: string): string | Refusal | null {
  if (given === undefined) return null;
  const read = timestampField.safeParse(given);
  if (read.success) return read.data;
  return refuse('invalid', `${flag} must be an RFC 3339 time, was ${JSON.stringify(given)}`);
}

function readNumber(given: string | undefined, rule: string): number | Refusal | null {
  if (given === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  return refuse('invalid', `${rule}, was ${JSON.stringify(given)}`);
}

export class HistoryCommandsCommand extends ListCommand {
  static override paths = [['history', 'commands']];
  static override usage = HistoryCommand.Usage({
    description: 'list the mutations: who, when, what and why',
    details: `The newest first, each with the snapshot versions before and after it. ${needs}`,
    examples: [['Of one model', '$0 history commands --stream model-7']],
  });

  protected override async read({ reports, vault }: ControlPlane): Promise<Printed | Refusal> {
    const filter = this.filter();
    if (isRefusal(filter)) return filter;
    const { historyCommands } = await import('../../control/history/commands.ts');
    const commands = await historyCommands({ db: reports, vault }, filter);
    return { json: commands, text: commands.map(commandLine).join('\n') };
  }
}

function commandLine(made: MadeCommand): string {
  const { id, at, actor_name, command, target, version_before, version_after, reason } = made;
  const versions =
    version_before === version_after ? '' : `  v${version_before} -> v${version_after}`;
  const why = made.reason_erased ? '  (reason erased)' : reason === null ? '' : `  (${reason})`;
  return `${id}  ${at}  ${actor_name ?? 'someone erased'}  ${command}  ${target}${versions}${why}`;
}

export class HistoryEventsCommand extends ListCommand {
  static override paths = [['history', 'events']];
  static override usage = HistoryCommand.Usage({
    description: 'list the events of the log',
    details: `The newest first. ${needs}`,
    examples: [['Keys that were made', '$0 history events --type ApiKeyCreated']],
  });

  type = Option.String('--type', { description: 'of this type alone: ModelCreated' });

  protected override async read({ reports }: ControlPlane): Promise<Printed | Refusal> {
    const filter = this.filter();
    if (isRefusal(filter)) return filter;
    const { historyEvents } = await import('../../control/history/events.ts');
    const events = await historyEvents(reports, { ...filter, type: this.type ?? null });
    return { json: events, text: events.map(eventLine).join('\n') };
  }
}

export class HistoryEventCommand extends HistoryCommand {
  static override paths = [['history', 'event']];
  static override usage = HistoryCommand.Usage({
    description: 'print one event whole, with its hashes',
    details: `As JSON. ${needs}`,
    examples: [['At position 1482', '$0 history event 1482']],
  });

  position = Option.String({ name: 'position' });

  protected override async read({ reports }: ControlPlane): Promise<Printed | Refusal> {
    if (!/^[1-9]\d{0,14}$/.test(this.position)) {
      const was = JSON.stringify(this.position);
      return refuse('invalid', `position must be a whole number from 1, was ${was}`);
    }
    const { historyEvent } = await import('../../control/history/events.ts');
    const event = await historyEvent(reports, Number(this.position));
    return isRefusal(event) ? event : { json: event, text: JSON.stringify(event, null, 2) };
  }
}
