import { errorMessage } from '@holdfast/foundation'
import type { BucketDefinition, SyncPlan, TablePlan } from '@holdfast/policy'
import { quoteName, sql, type Queryable } from '@holdfast/postgres'
import { CLASS_COUNT_TIMEOUT_MS, LEFT_OUT_CLASSES_MAX } from '../limits.ts'
import { withTimeLimit, type TimeLimitOptions } from '../time-limit.ts'
import type { StoredDefinition } from '../storage/bucket-storage.ts'
import type { ActivePlan } from './active-plan.ts'
import { readBucketKey } from './bucket-name.ts'
import { contentOf, hasSameClasses } from './definition-content.ts'
import { isStatementError } from './policy-failures.ts'

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
  /** A row of a class that there was none of. Above the most that there may be, the class is left out. */
  add(name: string, key: ClassKey): void
  /** Whether there are more classes than are asked for: whoever sees rows of the others does not get them. */
  readonly leavesOut: boolean
  /** How many are left out, at least. */
  readonly leftOut: number
  /** The most that there may be. */
  readonly max: number
  /** The table, and the policy that ties it to people. */
  readonly table: string
  readonly policy: string | undefined
  /** Sets what is called whenever a class is added. */
  onAdd(listener: () => void): void
}

/** What a list is of, and how long it may be. */
export type ClassListOptions = Pick<ClassList, 'linked' | 'max' | 'table' | 'policy'>

export function createClassList({ linked, max, table, policy }: ClassListOptions): ClassList {
  const entries: ClassEntry[] = []
  const byLink = new Map<string, ClassEntry[]>()
  const asked = new Set<string>()
  const names = new Set<string>()
  const leftOut = new Set<string>()
  let listener = (): void => undefined
  return {
    entries,
    linked,
    max,
    table,
    policy,
    get leavesOut() {
      return leftOut.size > 0
    },
    get leftOut() {
      return leftOut.size
    },
    get count() {
      return asked.size
    },
    under: (linkKey) => byLink.get(JSON.stringify(linkKey)) ?? [],
    has: (name) => names.has(name) || leftOut.has(name),
    add(name, key) {
      if (names.has(name)) return
      const askedKey = JSON.stringify(key.slice(linked))
      if (!asked.has(askedKey) && asked.size >= max) {
        if (leftOut.size < LEFT_OUT_CLASSES_MAX) leftOut.add(name)
        if (leftOut.size === 1) listener()
        return
      }
      names.add(name)
      const entry = { name, key }
      const linkKey = JSON.stringify(key.slice(0, linked))
      const same = byLink.get(linkKey)
      if (same) same.push(entry)
      else byLink.set(linkKey, [entry])
      asked.add(askedKey)
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
  const lists = classListsOf(active)
  if (lists.size === 0) return
  // Of those that no link narrows, each counts: more than are asked for, and than are counted as left out, need not be read.
  const most = [...lists.values()].map(({ linked, max }) =>
    linked === 0 && Number.isFinite(max) ? max + LEFT_OUT_CLASSES_MAX : null,
  )
  const rows = await db.query<{ definition: number; name: string; key: (string | null)[] | null }>(sql`
    select w.definition, b.name, c.key
      from unnest(${[...lists.keys()]}::int[], ${most}::bigint[]) w (definition, most)
     cross join lateral (
       select b.id, b.name from sync.buckets b
        where b.definition = w.definition
          and exists (select from sync.ops o where o.bucket_id = b.id and o.row_key is not null)
        order by b.id limit w.most
     ) b
      left join sync.classes c on c.name = b.name
     order by b.id`)
  for (const { definition, name, key } of rows) {
    const values = key ?? readBucketKey(name)
    if (values) lists.get(definition)?.add(name, values)
  }
}

function classListsOf(active: ActivePlan): ReadonlyMap<number, ClassList> {
  const lists = new Map<number, ClassList>()
  for (const { definitions } of active.tables.values())
    for (const { stored, classes } of definitions) if (classes) lists.set(stored.number, classes)
  return lists
}

/** The lists that leave classes out. */
export function fullClassLists(active: ActivePlan | undefined): readonly ClassList[] {
  return active ? [...classListsOf(active).values()].filter(({ leavesOut }) => leavesOut) : []
}

/** Whether a list that leaves classes out has others that no row is in any more, so that there is room. */
export async function haveRoom(db: Queryable, active: ActivePlan): Promise<boolean> {
  for (const { entries } of fullClassLists(active)) {
    const [row] = await db.query<{ room: boolean }>(sql`
      select exists (
        select from unnest(${entries.map(({ name }) => name)}::text[]) w (name)
         where not exists (select from sync.buckets b join sync.ops o on o.bucket_id = b.id
                            where b.name = w.name and o.row_key is not null)) as room`)
    if (row?.room) return true
  }
  return false
}

/** What a device is told of classes that are left out. */
export function problemOfClasses(lists: readonly ClassList[]): string | undefined {
  const full = lists.filter(({ leavesOut }) => leavesOut)
  if (full.length === 0) return undefined
  return full
    .map(
      ({ table, policy, max }) =>
        `the newest rows of ${table} are not synced${policy === undefined ? '' : ` by policy "${policy}"`}: they have more different values than the ${max} that syncClassesMax allows`,
    )
    .join('; ')
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

/**
 * Takes tables out of a plan whose rows fall into more classes than may be asked for when it begins to be followed. One that has been followed by these
 * classes goes on without those that are too many: its policy was right for it when it was written, and whoever adds rows must not take it from the others.
 */
export async function withoutTooManyClasses(
  reader: TimeLimitOptions,
  plan: SyncPlan,
  max: number,
  stored: readonly StoredDefinition[],
): Promise<SyncPlan> {
  const tables: TablePlan[] = []
  const refused = [...plan.refused]
  for (const table of plan.tables) {
    const isNew = (definition: BucketDefinition): boolean =>
      !stored.some(({ content }) => content && hasSameClasses(content, contentOf(table, definition)))
    const crowded = await findCrowded(reader, table, table.definitions.filter(isNew), max)
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

/**
 * Rows that cannot be counted, because a policy fails for one of them or counting takes too long, refuse nothing: classes that are too many are left out as
 * they come.
 */
async function findCrowded(
  reader: TimeLimitOptions,
  table: TablePlan,
  definitions: readonly BucketDefinition[],
  max: number,
): Promise<BucketDefinition | undefined> {
  for (const definition of definitions) {
    if (!definition.accessClass || askedKeys(definition).length === 0) continue
    const columns = askedKeys(definition)
      .map((key) => `(${key.sql})::text`)
      .join(', ')
    const filter = definition.rowFilter ? `where ${definition.rowFilter.sql}` : ''
    const count = sql`
      select count(*)::int as count from (
        select distinct ${sql.trusted(columns)} from ${sql.trusted(quoteName(table.schema, table.name))} as r ${sql.trusted(filter)}
         limit ${max + 1}) c`
    try {
      const [row] = await withTimeLimit(reader, CLASS_COUNT_TIMEOUT_MS, (tx) => tx.query<{ count: number }>(count))
      if ((row?.count ?? 0) > max) return definition
    } catch (error) {
      if (!isStatementError(error)) throw error
      reader.logger.log('warn', 'rows cannot be counted by access class', {
        table: `${table.schema}.${table.name}`,
        policy: definition.policies[0],
        reason: errorMessage(error),
      })
    }
  }
  return undefined
}
