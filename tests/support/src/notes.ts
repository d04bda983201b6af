import type { Holdfast } from './open-holdfast.ts'
import { SAMPLE_PASSWORD } from './open-holdfast.ts'

/**
 * A domain in which every applied write leaves a trace: a row of `audit.applied` per row and statement, with the transaction that did it. Whoever applies
 * something twice shows it here.
 */
const NOTES = `
  create schema audit;
  create table audit.applied (
    n bigint generated always as identity primary key,
    xact text not null default pg_current_xact_id()::text,
    op text not null, note_id uuid not null, marker text
  );
  create function audit.record() returns trigger language plpgsql security definer set search_path = '' as $$
  begin
    insert into audit.applied (op, note_id, marker) values (tg_op, coalesce(new.id, old.id), coalesce(new.marker, old.marker));
    return null;
  end $$;
  create table public.notes (
    id uuid primary key default gen_random_uuid(),
    owner_id uuid not null default auth.uid(),
    shared boolean not null default true,
    title text, body text, marker text,
    amount integer not null default 0 constraint notes_amount_positive check (amount >= 0)
  );
  create trigger record after insert or update or delete on public.notes for each row execute function audit.record();
  alter table public.notes enable row level security;
  create policy owners_and_shared_read on public.notes for select to authenticated using (shared or owner_id = (select auth.uid()));
  create policy owners_add on public.notes for insert to authenticated with check (owner_id = (select auth.uid()));
  create policy owners_and_shared_edit on public.notes for update to authenticated
    using (shared or owner_id = (select auth.uid())) with check (shared or owner_id = (select auth.uid()));
  create policy owners_delete on public.notes for delete to authenticated using (owner_id = (select auth.uid()));
`

export interface AppliedChange {
  /** The Postgres transaction. */
  readonly xact: string
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly note_id: string
  readonly marker: string | null
}

/** Creates table `notes` on a running server with the sample, and waits until it syncs. */
export async function createNotes(holdfast: Holdfast): Promise<void> {
  await holdfast.admin.withClient((client) => client.query(NOTES))
  const person = await holdfast.supabase({ email: 'mina.kaya@northline.example', password: SAMPLE_PASSWORD })
  const { data } = await person.auth.getSession()
  const headers = { authorization: `Bearer ${data.session?.access_token}` }
  for (let attempt = 0; attempt < 500; attempt++) {
    const response = await fetch(`${holdfast.url}/sync/v1/schema`, { headers })
    const schema = (await response.json()) as { tables?: readonly { name: string }[] }
    if (schema.tables?.some(({ name }) => name === 'notes')) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`notes do not sync: ${holdfast.log()}`)
}

/** Returns the changes applied to notes, in order. */
export async function appliedChanges(holdfast: Holdfast): Promise<readonly AppliedChange[]> {
  const found = await holdfast.admin.withClient((client) =>
    client.query<AppliedChange>('select xact, op, note_id, marker from audit.applied order by n'),
  )
  return found.rows
}
