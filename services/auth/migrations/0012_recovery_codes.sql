-- Not part of GoTrue's schema yet; the type is named as its client names it.
alter type auth.factor_type add value if not exists 'recovery_code';

create table auth.mfa_recovery_codes (
  factor_id uuid not null,
  -- SHA-256 of the code. A code has 80 random bits, so nothing slower is needed.
  code_hash text not null,
  used_at timestamptz,
  created_at timestamptz not null,
  constraint mfa_recovery_codes_pkey primary key (factor_id, code_hash),
  constraint mfa_recovery_codes_factor_id_fkey foreign key (factor_id) references auth.mfa_factors (id) on delete cascade
);
comment on table auth.mfa_recovery_codes is 'auth: the codes that stand in for a lost second factor, each for one time';

alter table auth.mfa_recovery_codes enable row level security;
revoke all on auth.mfa_recovery_codes from public, anon, authenticated, service_role;
