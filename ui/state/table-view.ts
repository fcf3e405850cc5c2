// Stores the view of a table in the address.

import { readView, writeView } from '../lib/page/table-view.ts';
import type { TableView } from '../lib/page/table-view.ts';
import { changeQuery, place } from './location.ts';

export const tableView = (): TableView => readView(place.get().query);

export const keepView = ({ detail }: CustomEvent<TableView>): void =>
  changeQuery(writeView(detail));
