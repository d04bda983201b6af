import type { BucketDefinition, SyncPlan, TablePlan } from '@holdfast/policy'
import { quoteName, sql, type Queryable } from '@holdfast/postgres'
import type { ActivePlan } from './active-plan.ts'
import { readBucketKey } from './bucket-name.ts'

/** The values of the key columns that rows of one class have in common. */
export type ClassKey = readonly (string | null)[]

export interface ClassEntry {
  /** Of its bucket. */
  readonly name: string
  readonly key: ClassKey
}

/** The classes of one definition that rows are, or were, in. Only grows, so that a position in it stays one. */
export interface ClassList {
  readonly entries: readonly ClassEntry[]
  /** How many of the keys, from the first on, are those of a link. */
  readonly linked: number
  /** How many combinations of the other keys there are: each is asked for. */
  readonly count: number
  /** Those with these values of the link's keys. */
  under(linkKey: ClassKey): readonly ClassEntry[]
  has(name: string): boolean
  /** A row of a class that there was none of. */
  add(name: string, key: ClassKey): void
  /** Sets what is called whenever a class is added. */
  onAdd(listener: () => void): void
}

export function createClassList(linked: number): ClassList {
  const entries: ClassEntry[] = []
  const byLink = new Map<string, ClassEntry[]>()
  const asked = new Set<string>()
  const names = new Set<string>()
  let listener = (): void => undefined
  return {
    entries,
    linked,
    get count() {
      return asked.size
    },
    under: (linkKey) => byLink.get(JSON.stringify(linkKey)) ?? [],
    has: (name) => names.has(name),
    add(name, key) {
      if (names.has(name)) return
      names.add(name)
      const entry = { name, key }
      const linkKey = JSON.stringify(key.slice(0, linked))
      const same = byLink.get(linkKey)
      if (same) same.push(entry)
      else byLink.set(linkKey, [entry])
      asked.add(JSON.stringify(key.slice(linked)))
      entries.push(entry)
      listener()
    },
    onAdd(next) {
      listener = next
    },
  }
}

/** Reads which classes have rows, into the lists of a plan. */
export async function loadClasses(db: Queryable, active: ActivePlan): Promise<void> {
  const lists = new Map<number, ClassList>()
  for (const { definitions } of active.tables.values())
    for (const { stored, classes } of definitions) if (classes) lists.set(stored.number, classes)
  if (lists.size === 0) return
  const rows = await db.query<{ definition: number; name: string; key: (string | null)[] | null }>(sql`
    select b.definition, b.name, c.key
      from sync.buckets b left join sync.classes c on c.name = b.name
     where b.definition = any(${[...lists.keys()]}::int[])
       and exists (select from sync.ops o where o.bucket_id = b.id and o.row_key is not null)
     order by b.id`)
  for (const { definition, name, key } of rows) {
    const values = key ?? readBucketKey(name)
    if (values) lists.get(definition)?.add(name, values)
  }
}

/** Writes down the values of classes whose names do not tell them. */
export async function writeClasses(
  db: Queryable,
  added: readonly { readonly definition: number; readonly name: string; readonly key: ClassKey }[],
): Promise<void> {
  const untold = added.filter(({ name }) => readBucketKey(name) === undefined)
  if (untold.length === 0) return
  await db.execute(sql`
    insert into sync.classes (name, definition, key)
    select * from unnest(${untold.map(({ name }) => name)}::text[], ${untold.map(({ definition }) => definition)}::int[],
                         ${untold.map(({ key }) => JSON.stringify(key))}::jsonb[])
    on conflict (name) do nothing`)
}

/** Takes tables out of a plan whose rows fall into more classes than may be asked for. */
export async function withoutTooManyClasses(db: Queryable, plan: SyncPlan, max: number): Promise<SyncPlan> {
  const tables: TablePlan[] = []
  const refused = [...plan.refused]
  for (const table of plan.tables) {
    const crowded = await findCrowded(db, table, max)
    if (!crowded) {
      tables.push(table)
      continue
    }
    const { schema, name, oid } = table
    const columns = askedKeys(crowded)
      .map((key) => key.column ?? key.sql)
      .join(', ')
    const policy = crowded.policies[0]
    refused.push({
      schema,
      name,
      oid,
      ...(policy === undefined ? {} : { policy }),
      reason: `its rows fall into more than ${max} access classes (different values of ${columns}), the most that syncClassesMax allows`,
    })
  }
  if (tables.length === plan.tables.length) return plan
  const out = refused.slice(plan.refused.length).map((table) => table.oid)
  return { ...plan, version: `${plan.version}-${out.join('-')}`, tables, refused }
}

function askedKeys({ keys, accessClass }: BucketDefinition): BucketDefinition['keys'] {
  return keys.slice(accessClass?.link?.keys ?? 0)
}

async function findCrowded(db: Queryable, table: TablePlan, max: number): Promise<BucketDefinition | undefined> {
  for (const definition of table.definitions) {
    if (!definition.accessClass || askedKeys(definition).length === 0) continue
    const columns = askedKeys(definition)
      .map((key) => `(${key.sql})::text`)
      .join(', ')
    const filter = definition.rowFilter ? `where ${definition.rowFilter.sql}` : ''
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from (
        select distinct ${sql.trusted(columns)} from ${sql.trusted(quoteName(table.schema, table.name))} as r ${sql.trusted(filter)}
         limit ${max + 1}) c`)
    if ((row?.count ?? 0) > max) return definition
  }
  return undefined
}
