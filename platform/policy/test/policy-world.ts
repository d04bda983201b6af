import { type Pool, runAs, sql, type Session } from '@holdfast/postgres'
import { AUTH_FUNCTIONS, ITEM_COLUMNS, openTestDatabase, policySchema, type TestDatabase } from '@holdfast/test-support'
import {
  compileSyncPlan,
  readPolicyInput,
  type AccessClass,
  type BucketDefinition,
  type SyncPlan,
  type TablePlan,
} from '../src/index.ts'

/** Combinations of an access class's key columns. */
export type Classes = readonly (readonly (string | null)[])[]

export interface PolicyWorld extends AsyncDisposable {
  readonly database: TestDatabase
  /** Runs statements as superuser. */
  run(...statements: readonly string[]): Promise<void>
  /** Compiles the current policies and creates the plan's functions. */
  compile(): Promise<SyncPlan>
  /** Ids visible under row-level security. */
  visible(session: Session, table: string): Promise<readonly number[]>
  /** The caller's keys of a definition, as lists. For an access class: those that occur in rows. */
  keys(
    session: Session,
    definition: BucketDefinition,
    among?: Classes,
  ): Promise<readonly (readonly (string | null)[])[]>
  /** Value combinations occurring in rows, for an access class. */
  classes(definition: BucketDefinition): Promise<Classes>
  /** Ids in the caller's buckets of a table. */
  held(session: Session, table: TablePlan): Promise<readonly number[]>
}

export async function openPolicyWorld(): Promise<PolicyWorld> {
  const database = await openTestDatabase()
  const { pool, requestPool } = database
  const run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await pool.execute(sql.trusted(statement))
  }
  const keeper = `keeper_${database.name}`
  const columns = Object.entries(ITEM_COLUMNS).map(([name, type]) => `${name} ${type}`)
  await run(
    AUTH_FUNCTIONS,
    policySchema(keeper),
    `create table public.items (id int primary key, ${columns.join(', ')})`,
    'alter table public.items enable row level security',
    'grant usage on schema sync to anon, authenticated',
  )

  const classes: PolicyWorld['classes'] = async (definition) => {
    const columns = definition.keys.map((key) => `(${key.sql})::text`).join(', ')
    const table = definition.id.slice(0, definition.id.lastIndexOf('.'))
    const rows = await pool.query<{ values: (string | null)[] }>(sql`
      select distinct array[${sql.trusted(columns)}]::text[] as values from ${sql.identifier('public', table)} r`)
    return rows.map((row) => row.values)
  }

  const keys: PolicyWorld['keys'] = async (session, definition, among) => {
    if (definition.accessClass)
      return visibleClasses(requestPool, session, definition.accessClass, among ?? (await classes(definition)))
    const rows = await runAs(requestPool, session, (tx) =>
      tx.query<Record<string, string>>(sql.trusted(definition.keyQuery)),
    )
    return rows.map((row) => definition.keys.map((_, index) => row[`k${index}`] ?? 'null'))
  }
  return {
    database,
    run,
    keys,
    classes,
    async compile() {
      const plan = compileSyncPlan(await readPolicyInput(database.compilerPool))
      for (const f of plan.keyFunctions) await run(...f.statements)
      return plan
    },
    async visible(session, table) {
      const rows = await runAs(requestPool, session, (tx) =>
        tx.query<{ id: number }>(sql`select id from ${sql.identifier('public', table)} order by id`),
      )
      return rows.map((row) => row.id)
    },
    async held(session, table) {
      const held = new Set<number>()
      for (const definition of table.definitions) {
        if (!definition.roles.includes(session.role)) continue
        for (const id of await rowsOf(pool, table, definition, await keys(session, definition))) held.add(id)
      }
      return [...held].sort((left, right) => left - right)
    },
    async [Symbol.asyncDispose]() {
      await run(`reassign owned by ${keeper} to current_user`, `drop owned by ${keeper}`, `drop role ${keeper}`)
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Evaluates each combination as sync does. */
async function visibleClasses(
  requestPool: Pool,
  session: Session,
  { link, query }: AccessClass,
  all: Classes,
): Promise<Classes> {
  const linked = link?.keys ?? 0
  return runAs(requestPool, session, async (tx) => {
    const has = new Set<string>()
    if (link) {
      const rows = await tx.query<Record<string, string>>(sql.trusted(link.query))
      for (const row of rows) has.add(JSON.stringify(Array.from({ length: linked }, (_, index) => row[`k${index}`])))
    }
    const among = all.filter((one) => !link || has.has(JSON.stringify(one.slice(0, linked))))
    if (among.length === 0) return []
    const width = (among[0]?.length ?? 0) - linked
    const lists = Array.from({ length: width }, (_, index) => among.map((one) => one[linked + index] ?? null))
    const found = await tx.client.query<{ number: number }>(query, [among.map((_, index) => index), ...lists])
    return found.rows.map(({ number }) => among[number] ?? [])
  })
}

/** Ids in the buckets of the given keys. */
async function rowsOf(
  pool: Pool,
  table: TablePlan,
  definition: BucketDefinition,
  found: readonly (readonly (string | null)[])[],
): Promise<readonly number[]> {
  if (found.length === 0) return []
  const parts = definition.keys.map((key, index) =>
    key.kind === 'elements'
      ? `(k.k ->> ${index}) in (select e::text from unnest(${key.sql}) e)`
      : `(k.k ->> ${index}) ${key.kind === 'class' ? 'is not distinct from' : '='} (${key.sql})::text`,
  )
  const condition = [definition.rowFilter?.sql ?? 'true', ...parts].join(' and ')
  const rows = await pool.query<{ id: number }>(sql`
    select distinct r.id from ${sql.identifier(table.schema, table.name)} r, jsonb_array_elements(${JSON.stringify(found)}::jsonb) k(k)
     where ${sql.trusted(condition)}`)
  return rows.map((row) => row.id)
}
