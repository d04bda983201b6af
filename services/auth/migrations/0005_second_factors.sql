-- Not part of GoTrue. They stand with the factor so that a code counts once, and wrong ones are counted, over all processes.
alter table auth.mfa_factors
  add column if not exists last_used_step bigint,
  add column if not exists failed_attempts integer not null default 0,
  add column if not exists failed_since timestamptz;
comment on column auth.mfa_factors.last_used_step is 'auth: the 30 s step of the last code that was accepted; it and earlier ones are used up';
comment on column auth.mfa_factors.failed_attempts is 'auth: wrong answers since failed_since';

-- GoTrue lets no two factors of a project be challenged in the same microsecond. Nothing relies on it, and clocks are coarser here.
alter table auth.mfa_factors
  drop constraint if exists mfa_factors_last_challenged_at_key;

create index if not exists mfa_challenges_factor_id_idx on auth.mfa_challenges using btree (factor_id);
