// Tests that a replica counts its own rows exactly once against budgets, in any order of deliveries, repeats and losses.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { principalId } from '../../src/lib/ids.ts';
import { Spending } from '../../src/limits/spending.ts';
import type { SpentRow } from '../../src/limits/spending.ts';
import type { CompiledBudget } from '../../src/snapshot/compile/callers.ts';

const one = principalId.parse(1);
const caps = { tokens_total: 1000, cost_total_micros: null };

type Window = number | null;

const budgetAt = (tokens: number, windowStartMs: Window = 1): CompiledBudget => ({
  caps,
  reported: { tokens_used: tokens, cost_used_micros: tokens * 2, windowStartMs },
});

const figure = (tokens: number, windowStartMs: Window = 1) => ({
  principalId: one,
  ...budgetAt(tokens, windowStartMs).reported,
});

/** One replica, and the budget as its snapshot says. */
function replica(tokens = 0, windowStartMs: Window = 1) {
  const spending = new Spending();
  let budget = budgetAt(tokens, windowStartMs);
  const spend = (amount: number): SpentRow | null => {
    const hold = spending.hold(one, budget, { tokens: 7, micros: 14 });
    return spending.conclude(hold, { tokens: amount, micros: amount * 2 });
  };
  return {
    spending,
    spend,
    tell: (tokens: number, window: Window = 1) => void (budget = budgetAt(tokens, window)),
    hold: (estimate: number) =>
      spending.hold(one, budget, { tokens: estimate, micros: estimate * 2 }),
    tokens: (): number => {
      const { spent, inFlight } = spending.currentSpend(one, budget);
      assert.equal(spent.cost_used_micros, spent.tokens_used * 2);
      assert.equal(inFlight.cost_used_micros, inFlight.tokens_used * 2);
      return spent.tokens_used;
    },
    inFlight: (): number => spending.currentSpend(one, budget).inFlight.tokens_used,
  };
}

describe('spending', () => {
  it('counts a request while it is in flight by its estimate, then by its row', () => {
    const { spending, hold, tokens, inFlight } = replica(100);
    const [first, second] = [hold(30), hold(5)];
    assert.deepEqual([tokens(), inFlight()], [100, 35]);
    spending.conclude(first, { tokens: 12, micros: 24 });
    assert.deepEqual([tokens(), inFlight()], [112, 5]);
    spending.release(first);
    spending.release(second);
    spending.release(second);
    assert.deepEqual([tokens(), inFlight()], [112, 0]);
  });

  it('replaces its rows by the figure that includes them, which may include others', () => {
    const { spending, spend, tokens } = replica(100);
    const rows = [spend(10), spend(20)];
    const sentAt = spending.sending(rows);
    spend(5);
    assert.equal(tokens(), 135);
    spending.delivered(rows, { figures: [figure(400)], sentAt });
    assert.equal(tokens(), 405);
    assert.equal(spending.size.rows, 1);
  });

  it('does not count a row twice that the snapshot includes before the delivery is answered', () => {
    const { spending, spend, tell, tokens } = replica(100);
    const rows = [spend(10)];
    const sentAt = spending.sending(rows);
    tell(110);
    assert.equal(tokens(), 110);
    spending.delivered(rows, { figures: [figure(110)], sentAt });
    assert.equal(tokens(), 110);
  });

  it('keeps a row whose delivery was not answered, and learns what others spent', () => {
    const { spending, spend, tell, tokens } = replica(100);
    const rows = [spend(10)];
    spending.sending(rows);
    tell(100);
    assert.equal(tokens(), 110);
    tell(300);
    assert.equal(tokens(), 300);
    const sentAt = spending.sending(rows);
    spending.delivered(rows, { figures: [figure(310)], sentAt });
    assert.equal(tokens(), 310);
  });

  it('ignores a snapshot that is older than the last figure', () => {
    const { spending, spend, tell, tokens } = replica(100);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: [figure(250)], sentAt: spending.sending(rows) });
    tell(180);
    assert.equal(tokens(), 250);
    tell(999, 0);
    assert.equal(tokens(), 250);
  });

  it('starts again with the next window, and ignores figures of the previous one', () => {
    const { spending, spend, tell, tokens } = replica(900);
    tell(0, 2);
    assert.equal(tokens(), 0);
    const rows = [spend(10)];
    tell(950, 1);
    assert.equal(tokens(), 10);
    spending.delivered(rows, { figures: [figure(10, 2)], sentAt: spending.sending(rows) });
    assert.equal(tokens(), 10);
  });

  it('takes the window of a figure that is later than that of the snapshot', () => {
    const { spending, spend, tell, tokens } = replica(900);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: [figure(10, 2)], sentAt: spending.sending(rows) });
    assert.equal(tokens(), 10);
    tell(0, 2);
    assert.equal(tokens(), 10);
  });

  it('follows a database that was restored from a copy once a delivery is answered', () => {
    const { spending, spend, tokens } = replica(900, 5);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: [figure(310, 4)], sentAt: spending.sending(rows) });
    assert.equal(tokens(), 310);
    const more = [spend(10)];
    spending.delivered(more, { figures: [figure(200, 4)], sentAt: spending.sending(more) });
    assert.equal(tokens(), 200);
  });

  it('drops rows that the control plane accepted and did not count', () => {
    const { spending, spend, tokens } = replica(100);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: [figure(100)], sentAt: spending.sending(rows) });
    assert.equal(tokens(), 100);
  });

  it('counts rows that could not be delivered until the next figure', () => {
    const { spending, spend, tokens } = replica(100);
    spending.lost([spend(10)]);
    assert.equal(tokens(), 110);
    const rows = [spend(5)];
    spending.delivered(rows, { figures: [figure(105)], sentAt: spending.sending(rows) });
    assert.equal(tokens(), 105);
  });

  it('forgets rows in files that another process took over', () => {
    const { spending, spend, tell, tokens } = replica(100);
    spending.spooled([spend(10)], ['a']);
    tell(110);
    assert.equal(tokens(), 110);
    spending.spoolIsEmpty();
    assert.equal(tokens(), 100);
    assert.equal(spending.size.rows, 0);
  });

  it('finds rows in files by their ids until they are delivered', () => {
    const { spending, spend, tokens } = replica(100);
    const rows = [spend(10), spend(20)];
    const sentAt = spending.sending(rows);
    spending.spooled(rows, ['a', 'b']);
    assert.deepEqual(spending.spooledRows(['b', 'a', 'c']), rows.toReversed());
    spending.delivered(rows.slice(0, 1), { figures: [figure(110)], sentAt });
    assert.deepEqual(spending.spooledRows(['a', 'b']), rows.slice(1));
    // The file is delivered later, and the first row counts no second time.
    const again = spending.spooledRows(['a', 'b']);
    spending.delivered(again, { figures: [figure(130)], sentAt: spending.sending(again) });
    assert.equal(tokens(), 130);
    assert.deepEqual(spending.size, { accounts: 1, rows: 0 });
  });

  it('does not mark rows as written to files that were delivered in the meantime', () => {
    const { spending, spend, tokens } = replica(100);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: [figure(110)], sentAt: spending.sending(rows) });
    spending.spooled(rows, ['a']);
    assert.deepEqual(spending.spooledRows(['a']), []);
    spending.lost(rows);
    assert.equal(tokens(), 110);
  });

  it('never counts less than it spent itself under a control plane that answers no figures', () => {
    const { spending, spend, tell, tokens } = replica(100, null);
    const rows = [spend(10)];
    spending.delivered(rows, { figures: null, sentAt: spending.sending(rows) });
    assert.equal(tokens(), 110);
    tell(110, null);
    assert.equal(tokens(), 110);
    tell(200, null);
    assert.equal(tokens(), 200);
    tell(3, null);
    assert.equal(tokens(), 3);
  });

  it('holds a limited number of rows and still counts the others', () => {
    const { spending, spend, tokens } = replica(0);
    for (let number = 0; number < 100_010; number++) spend(1);
    assert.deepEqual(spending.size, { accounts: 1, rows: 100_000 });
    assert.equal(tokens(), 100_010);
  });

  it('forgets principals without a budget once none of their rows is held', () => {
    const { spending, spend } = replica();
    const rows = [spend(1)];
    spending.keepOnly(() => false);
    assert.equal(spending.size.accounts, 1);
    spending.delivered(rows, { figures: [], sentAt: spending.sending(rows) });
    spending.keepOnly((id) => id === one);
    assert.equal(spending.size.accounts, 1);
    spending.keepOnly(() => false);
    assert.equal(spending.size.accounts, 0);
  });
});

// The events of one replica of several, in any order.
const step = fc.oneof(
  fc.record({ kind: fc.constant('spend'), amount: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant('others'), amount: fc.integer({ min: 1, max: 50 }) }),
  fc.record({
    kind: fc.constant('deliver'),
    result: fc.constantFrom('answered', 'lost answer', 'refused', 'dropped'),
  }),
  fc.record({ kind: fc.constantFrom('answer', 'publish', 'fetch', 'spool', 'drain') }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A control plane that counts each row once, and one replica that speaks to it through what may be lost or late. */
function simulate(steps: readonly Step[], checkEach: (seen: Seen) => void): void {
  const own = replica();
  const { spending } = own;
  const amounts = new Map<SpentRow, number>();
  const counted = new Set<SpentRow>();
  let queued: SpentRow[] = [];
  let spooled: string[] = [];
  let [others, published] = [0, 0];
  const late: (() => void)[] = [];
  const sum = (rows: Iterable<SpentRow>) =>
    [...rows].reduce((total, row) => total + (amounts.get(row) ?? 0), 0);
  const files = new Map<string, SpentRow>();
  const inFiles = (ids: readonly string[]) => ids.flatMap((id) => files.get(id) ?? []);
  const inWindow = (): number => others + sum(counted);
  const deliver = (rows: readonly SpentRow[], result: string, done: () => void): void => {
    const sentAt = spending.sending(rows);
    if (result === 'refused') return;
    if (result === 'dropped') {
      spending.lost(rows);
      return done();
    }
    for (const row of rows) counted.add(row);
    if (result === 'lost answer') return;
    const figures = [figure(inWindow())];
    late.push(() => {
      spending.delivered(rows, { figures, sentAt });
      done();
    });
  };
  for (const one of steps) {
    if (one.kind === 'spend') {
      const row = own.spend(one.amount);
      assert.ok(row !== null);
      amounts.set(row, one.amount);
      queued.push(row);
    } else if (one.kind === 'others') others += one.amount;
    else if (one.kind === 'deliver' && late.length === 0) {
      const rows = [...queued];
      deliver(rows, one.result, () => void (queued = queued.filter((row) => !rows.includes(row))));
    } else if (one.kind === 'answer') {
      late.shift()?.();
    } else if (one.kind === 'publish') published = inWindow();
    else if (one.kind === 'fetch') own.tell(published);
    else if (one.kind === 'spool' && late.length === 0) {
      const ids = queued.map((_, index) => `row ${files.size + index}`);
      for (const [index, id] of ids.entries()) files.set(id, queued[index] ?? assert.fail());
      spending.spooled(queued, ids);
      spooled.push(...ids);
      queued = [];
    } else if (one.kind === 'drain' && late.length === 0) {
      const ids = [...spooled];
      assert.deepEqual(spending.spooledRows(ids), inFiles(ids));
      deliver(
        inFiles(ids),
        'answered',
        () => void (spooled = spooled.filter((id) => !ids.includes(id))),
      );
    }
    checkEach({
      tokens: own.tokens(),
      all: others + sum(amounts.keys()),
      own: sum(amounts.keys()),
    });
  }
  late.shift()?.();
  deliver([...queued, ...inFiles(spooled)], 'answered', () => {});
  late.shift()?.();
  assert.equal(own.tokens(), inWindow());
  assert.equal(spending.size.rows, 0);
}

type Seen = Readonly<{ tokens: number; all: number; own: number }>;

describe('whatever is delivered, repeated, lost or late', () => {
  const runs = fc.array(step, { maxLength: 40 });

  it('counts no more than was spent, and no less than this replica spent', () => {
    fc.assert(
      fc.property(runs, (steps) => {
        simulate(steps, ({ tokens, all, own }) => {
          assert.ok(tokens <= all, `${tokens} of ${all} counted`);
          assert.ok(
            tokens >= own || steps.some((one) => 'result' in one && one.result === 'dropped'),
          );
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('a replica that spends alone counts exactly what it spent', () => {
    const alone = runs.map((steps) =>
      steps.filter(
        (one) => one.kind !== 'others' && !('result' in one && one.result === 'dropped'),
      ),
    );
    fc.assert(
      fc.property(alone, (steps) => {
        simulate(steps, ({ tokens, all }) => assert.equal(tokens, all));
      }),
      { numRuns: 2000 },
    );
  });
});
