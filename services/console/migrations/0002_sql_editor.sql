-- The history of the SQL editor is an operator's own entries of the audit log.
create index audit_log_sql on holdfast_console.audit_log (operator_id, id desc) where action = 'run_sql';

create table holdfast_console.saved_queries (
  id uuid primary key default gen_random_uuid(),
  -- Null once the author of a shared query is no operator any more. Private ones are deleted with their author.
  operator_id uuid references holdfast_console.operators on delete set null,
  name text not null,
  text text not null,
  is_shared boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on holdfast_console.saved_queries (operator_id);
