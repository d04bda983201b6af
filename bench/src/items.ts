import type { Holdfast } from '@holdfast/test-support'
import { sql, type Pool } from '@holdfast/postgres'

/** Creates the table that the sync benchmarks write and read. Its rows have about 500 bytes on the wire, and each user sees only their own. */
export async function createItems(admin: Pool): Promise<void> {
  await admin.execute(sql`
    create table if not exists public.items (
      id uuid primary key, owner_id uuid, list_id uuid, title text, body text, done boolean, n integer, created_at timestamptz
    )
  `)
  await admin.execute(sql`alter table public.items enable row level security`)
  await admin.execute(sql`drop policy if exists own_items on public.items`)
  await admin.execute(
    sql`create policy own_items on public.items for select to authenticated using (owner_id = (select auth.uid()))`,
  )
}

export async function insertItems(admin: Pool, ownerId: string, rows: number): Promise<void> {
  await admin.execute(sql`
    insert into public.items (id, owner_id, title, body, done, n, created_at)
    select gen_random_uuid(), ${ownerId}::uuid, 'Item number ' || g, left(repeat(md5(g::text), 40), 160), g % 3 = 0, g, now()
      from generate_series(1, ${rows}::int) g
  `)
}

/** Resident memory of a process, in bytes. */
export async function residentBytes(holdfast: Pick<Holdfast, 'pid'>): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const status = await readFile(`/proc/${holdfast.pid()}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}
