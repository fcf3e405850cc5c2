// Words and amounts of reports that compare a bill with the ledger.

import { formatMoneyOf } from '../text/format.ts';

export const differenceWords = {
  only_in_bill: 'only in the bill',
  only_in_ledger: 'only in the ledger',
  unpriced: 'no price',
  differs: 'differs',
} as const;

export const billCommand = 'gw usage reconcile --provider openai --file costs.csv';

/** Null means that the bill or the ledger has nothing. */
export const billMoney = (micros: number | null, currency: string): string =>
  micros === null ? 'none' : formatMoneyOf(micros, currency);
