-- What nothing refers to any more, oldest first: it is erased when its retention is over.
create index items_superseded on vault.items (superseded_at)
  where superseded_at is not null and body is not null;
