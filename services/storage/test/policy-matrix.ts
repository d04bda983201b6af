import { runAs, sql, type SqlFragment } from '@holdfast/postgres'
import { ALICE, type StorageWorld } from './storage-world.ts'

export type Command = 'select' | 'insert' | 'update' | 'delete'

export const COMMANDS: readonly Command[] = ['select', 'insert', 'update', 'delete']

/** All sets of policies. */
export const POLICY_SETS: readonly (readonly Command[])[] = Array.from({ length: 16 }, (_unused, bits) =>
  COMMANDS.filter((_command, bit) => (bits >> bit) & 1),
)

export type PolicyTable = 'objects' | 'buckets' | 's3_multipart_uploads' | 's3_multipart_uploads_parts'

const TABLES: readonly PolicyTable[] = ['objects', 'buckets', 's3_multipart_uploads', 's3_multipart_uploads_parts']

const CLAUSES: Readonly<Record<Command, string>> = {
  select: 'using (true)',
  insert: 'with check (true)',
  update: 'using (true) with check (true)',
  delete: 'using (true)',
}

/** A statement subject to policies. */
export interface Judged {
  readonly statement: SqlFragment
  /** Whether the statement must return a row to count as allowed. */
  readonly returnsRow: boolean
}

export const insertStatement = (name: string): SqlFragment =>
  sql`insert into storage.objects (bucket_id, name, owner, owner_id, version) values ('box', ${name}, ${ALICE}, ${ALICE}, '1')`

export const upsertStatement = (name: string): SqlFragment =>
  sql`${insertStatement(name)} on conflict (bucket_id, name) do update set version = excluded.version returning id`

/** Grants users these policies on one table and none on the others. */
export async function setPolicies(
  world: StorageWorld,
  table: PolicyTable,
  commands: readonly Command[],
): Promise<void> {
  const drops = TABLES.flatMap((one) => COMMANDS.map((c) => `drop policy if exists ${c}_all on storage.${one};`))
  const creates = commands.map(
    (c) => `create policy ${c}_all on storage.${table} for ${c} to authenticated ${CLAUSES[c]};`,
  )
  await world.run([...drops, ...creates].join('\n'))
}

/** Runs the statement directly in Postgres, as the reference. */
export async function isAllowed(world: StorageWorld, { statement, returnsRow }: Judged): Promise<boolean> {
  const undone = new Error('undone')
  let rows = 0
  let touched = 0
  try {
    await runAs(
      world.database.requestPool,
      { role: 'authenticated', claims: { role: 'authenticated', sub: ALICE } },
      async (tx) => {
        await tx.query(sql`select set_config('storage.allow_delete_query', 'true', true)`)
        const { text: query, values } = statement.render()
        const result = await tx.client.query(query, [...values])
        rows = result.rows.length
        touched = result.rowCount ?? 0
        throw undone
      },
    )
  } catch (error) {
    if (error !== undone) return false
  }
  return returnsRow ? rows > 0 : touched > 0
}

/** State that a refused call must not change. */
export async function stateOf(world: StorageWorld): Promise<unknown> {
  return {
    objects: await world.run('select name, version, metadata from storage.objects order by name'),
    buckets: await world.run('select id, public from storage.buckets order by id'),
    parts: await world.run('select part_number, etag from storage.s3_multipart_uploads_parts order by part_number'),
    uploads: await world.run('select key from storage.s3_multipart_uploads order by key'),
  }
}
