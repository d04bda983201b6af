import { errorMessage } from '@holdfast/foundation'
import type { BucketDefinition, SyncPlan, TablePlan } from '@holdfast/policy'
import { quoteName, sql, type Queryable } from '@holdfast/postgres'
import type { IncompleteReason } from '@holdfast/protocol'
import { CLASS_COUNT_TIMEOUT_MS, READ_LOCK_TIMEOUT_MS } from '../limits.ts'
import { withTimeLimit, type TimeLimitOptions } from '../user-sql/time-limit.ts'
import type { StoredDefinition } from '../storage/bucket-storage.ts'
import { classListId, contentOf } from '../storage/definition-content.ts'
import type { ActivePlan } from './active-plan.ts'
import type { ClassList } from './class-list.ts'
import { isStatementError } from './policy-failures.ts'

export function classListsOf(active: ActivePlan): ReadonlyMap<number, ClassList> {
  const lists = new Map<number, ClassList>()
  for (const { definitions } of active.tables.values())
    for (const { stored, classes } of definitions) if (classes) lists.set(stored.number, classes)
  return lists
}

/** Returns the served lists that omit classes. */
export function fullClassLists(active: ActivePlan | undefined): readonly ClassList[] {
  if (!active) return []
  const served = [...active.tables.values()].flatMap(({ definitions }) =>
    definitions.flatMap(({ classes, isUnfilled }) => (classes?.leavesOut && !isUnfilled ? [classes] : [])),
  )
  return [...new Set(served)]
}

/** Whether a list that omits classes contains classes without rows, so that omitted ones can be added. */
export async function haveRoom(db: Queryable, active: ActivePlan): Promise<boolean> {
  for (const list of fullClassLists(active)) {
    const names = [...list.entries.map(({ name }) => name), ...list.leftOutNames()]
    const [row] = await db.query<{ room: boolean }>(sql`
      select exists (
        select from unnest(${names}::text[]) w (name)
         where not exists (select from sync.buckets b join sync.ops o on o.bucket_id = b.id
                            where b.name = w.name and o.row_key is not null)) as room`)
    if (row?.room) return true
  }
  return false
}

/** Problem shown to a device about omitted classes; only its own user's can be resolved there. */
export function problemOfClasses(lists: readonly ClassList[], author: string | null): string | undefined {
  const problems = lists.filter(({ leavesOut }) => leavesOut).flatMap((list) => problemsOf(list, author))
  return problems.length > 0 ? problems.join('; ') : undefined
}

export type ClassesReason = Extract<IncompleteReason, 'own_values' | 'others_values' | 'too_many_values'>

/** Returns why a list omits classes, from one user's point of view. */
export function reasonsOf({ leftOut, leftOutOf }: ClassList, author: string | null): readonly ClassesReason[] {
  const own = author === null ? 0 : (leftOutOf.get(author) ?? 0)
  const overShare = [...leftOutOf.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...(own > 0 ? (['own_values'] as const) : []),
    ...(overShare > own ? (['others_values'] as const) : []),
    ...(leftOut > overShare ? (['too_many_values'] as const) : []),
  ]
}

function problemsOf(list: ClassList, author: string | null): string[] {
  const { table, policy, max, perAuthorMax } = list
  const by = policy === undefined ? '' : ` by policy "${policy}"`
  const texts: Readonly<Record<ClassesReason, string>> = {
    own_values: `rows of ${table} that this account wrote are not synced${by}: they have more different values than the ${perAuthorMax} that one account may bring (syncClassesPerPersonMax)`,
    others_values: `some rows of ${table} are not synced${by}: their author brought more different values than the ${perAuthorMax} that one account may bring (syncClassesPerPersonMax)`,
    too_many_values: `the newest rows of ${table} are not synced${by}: they have more different values than the ${max} that syncClassesMax allows`,
  }
  return reasonsOf(list, author).map((reason) => texts[reason])
}

/**
 * Refuses tables whose rows fall into more than `max` classes when they are followed for the first time. A table already followed by these classes stays and
 * omits the excess ones: its policy was accepted when it was written, and users who add rows must not take the table from the others.
 */
export async function withoutTooManyClasses(
  reader: TimeLimitOptions,
  plan: SyncPlan,
  max: number,
  stored: readonly StoredDefinition[],
): Promise<SyncPlan> {
  const followed = new Set(stored.map(({ content }) => content && classListId(content)))
  const tables: TablePlan[] = []
  const refused = [...plan.refused]
  for (const table of plan.tables) {
    const isNew = (definition: BucketDefinition): boolean => !followed.has(classListId(contentOf(table, definition)))
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
 * Finds a definition with too many classes. Rows that cannot be counted, because a policy fails for one of them or counting takes too long, refuse nothing:
 * excess classes are omitted as they appear.
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
      const [row] = await withTimeLimit(reader, CLASS_COUNT_TIMEOUT_MS, async (tx) => {
        await tx.query(sql`select set_config('lock_timeout', ${`${READ_LOCK_TIMEOUT_MS}ms`}, true)`)
        return tx.query<{ count: number }>(count)
      })
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
