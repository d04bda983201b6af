create table public.notes (
  id uuid primary key,
  owner_id uuid not null default auth.uid(),
  body text not null constraint notes_have_at_most_80_characters check (char_length(body) between 1 and 80),
  written_at timestamptz not null default now()
);
alter table public.notes enable row level security;
create policy own_notes on public.notes for all to authenticated
  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
