-- The words of enums as the rows in the log have them: `alter type … rename value` changes rows without a change of a row.
create table sync.enum_labels (
  -- Of pg_enum: stays when the word is renamed.
  value oid primary key,
  label text not null
);
revoke all on sync.enum_labels from public;
