-- The calls of change requests: they lie in the vault until the request ends.

alter table vault.items drop constraint items_class_check;
alter table vault.items add constraint items_class_check check (class in
  ('credential', 'password', 'key_verifier', 'personal', 'example', 'fingerprint_key',
    'change_request'));
