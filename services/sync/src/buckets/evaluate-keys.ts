import { createHash } from 'node:crypto'
import type { BucketDefinition } from '@holdfast/policy'
import type pg from 'pg'
import { assert, errorMessage, type Logger } from '@holdfast/foundation'
import { assumeSession, sql, type Pool, type Session, type Transaction } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'
import type { ClassEntry, ClassKey, ClassList } from './access-classes.ts'
import type { ActivePlan, RolePlan } from './active-plan.ts'
import { bucketName } from './bucket-name.ts'
import { parseSnapshot, type Snapshot } from './snapshot.ts'

/** Which buckets a person has, and what the answer was computed from. */
export interface EvaluatedKeys {
  readonly bucketNames: readonly string[]
  /** By dependency key: the claim's value that the dependency is pinned to; `null` when it is NULL, so nothing concerns this person. */
  readonly pins: ReadonlyMap<string, string | null>
  /** The transactions that the answer has seen. */
  readonly snapshot: Snapshot
  /** Everything that it has seen committed before this position. */
  readonly upTo: Lsn
  /** Of which classes it was asked whether the person sees them. */
  readonly asked: AskedClasses
}

/** How many of each list's classes have been asked for: those from the first on. */
export type AskedClasses = ReadonlyMap<ClassList, number>

const SNAPSHOT_ROW = -1
const SNAPSHOT_QUERY = `select ${SNAPSHOT_ROW} as part, array[pg_current_snapshot()::text, pg_current_wal_insert_lsn()::text] as key`
/** Numbers of pin rows start here; definitions are far below. */
const PIN_ROWS = 1_000_000

interface KeyStatement {
  readonly name: string
  readonly text: string
  /** Its parts, each a statement of its own. */
  readonly parts: readonly string[]
}

/** What of a definition is answered by a query for keys. */
function linkOf(definition: BucketDefinition): { readonly keys: number; readonly query: string } | undefined {
  const { accessClass, keys, keyQuery } = definition
  return accessClass ? accessClass.link : { keys: keys.length, query: keyQuery }
}

const statements = new WeakMap<RolePlan, KeyStatement>()

/**
 * All key queries of a role as one statement of rows `(part, key text[])`. Its texts come from the compiled plan, which Postgres's own
 * parser has read; values come from the session's claims.
 */
function statementOf(role: RolePlan): KeyStatement {
  const known = statements.get(role)
  if (known) return known
  const parts = [SNAPSHOT_QUERY]
  role.definitions.forEach(({ definition }, index) => {
    const part = linkOf(definition)
    if (!part) return
    const keys = Array.from({ length: part.keys }, (_, position) => `q.k${position}`)
    const array = keys.length === 0 ? `'{}'::text[]` : `array[${keys.join(', ')}]`
    parts.push(`select ${index}, ${array} from (${part.query}) q`)
  })
  role.dependencies.forEach((dependency, index) => {
    if (dependency.pin) parts.push(`select ${PIN_ROWS + index}, array[(${dependency.pin.claimSql})::text]`)
  })
  const text = parts.join('\nunion all\n')
  const statement = { name: `sync_keys_${createHash('sha1').update(text).digest('hex').slice(0, 16)}`, text, parts }
  statements.set(role, statement)
  return statement
}

type KeyRow = readonly [part: number, key: readonly (string | null)[]]

async function query(
  tx: Transaction,
  statement: { readonly name?: string; readonly text: string },
): Promise<readonly KeyRow[]> {
  const result = await tx.client.query<[number, (string | null)[]]>({
    ...statement,
    rowMode: 'array',
  } as pg.QueryArrayConfig)
  return result.rows
}

/**
 * Asks Postgres, as the person and under row-level security, which keys they have. One snapshot for all of it.
 *
 * A definition whose query fails for this person (a policy that reads a table they may not select from) gives no buckets: selecting from the
 * table fails for them in the same way.
 */
export async function evaluateKeys(
  pool: Pool,
  active: ActivePlan,
  session: Session,
  logger: Logger,
): Promise<EvaluatedKeys> {
  const role = active.roles.get(session.role) ?? { definitions: [], dependencies: [] }
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await assumeSession(tx, session)
    await tx.execute(sql`savepoint keys`)
    let rows: readonly KeyRow[]
    try {
      rows = await query(tx, { name: statementOf(role).name, text: statementOf(role).text })
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      await tx.execute(sql`rollback to savepoint keys`)
      rows = await evaluateOneByOne(tx, role, logger)
    }
    const { linkKeys, ...collected } = collect(role, rows)
    const { names, asked } = await askForClasses(tx, role, linkKeys, new Map(), logger)
    return { ...collected, bucketNames: [...collected.bucketNames, ...names], asked }
  })
}

/** What {@link evaluateClasses} found. */
export type EvaluatedClasses = Pick<EvaluatedKeys, 'bucketNames' | 'snapshot' | 'upTo' | 'asked'>

/** Whether there are classes that have not been asked for. */
export function hasNewClasses(role: RolePlan | undefined, asked: AskedClasses): boolean {
  return (role?.definitions ?? []).some(({ classes }) => classes && classes.entries.length > (asked.get(classes) ?? 0))
}

/** Asks for the classes that came to be since. */
export async function evaluateClasses(
  pool: Pool,
  active: ActivePlan,
  session: Session,
  before: AskedClasses,
  logger: Logger,
): Promise<EvaluatedClasses> {
  const role = active.roles.get(session.role) ?? { definitions: [], dependencies: [] }
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await assumeSession(tx, session)
    const { snapshot, upTo, linkKeys } = collect(role, await evaluateOneByOne(tx, role, logger, isOfClass))
    const { names, asked } = await askForClasses(tx, role, linkKeys, before, logger)
    return { bucketNames: names, snapshot, upTo, asked }
  })
}

async function askForClasses(
  tx: Transaction,
  role: RolePlan,
  linkKeys: LinkKeys,
  before: AskedClasses,
  logger: Logger,
): Promise<{ readonly names: readonly string[]; readonly asked: AskedClasses }> {
  const names: string[] = []
  const asked = new Map<ClassList, number>()
  for (const { definition, classes } of role.definitions) {
    if (!classes || !definition.accessClass) continue
    const from = before.get(classes) ?? 0
    asked.set(classes, classes.entries.length)
    let entries: readonly ClassEntry[]
    if (!definition.accessClass.link) entries = classes.entries.slice(from)
    else {
      const keys = linkKeys.get(classes) ?? []
      const has = new Set(keys.map((key) => JSON.stringify(key)))
      entries =
        from === 0
          ? keys.flatMap((key) => classes.under(key))
          : classes.entries.slice(from).filter(({ key }) => has.has(JSON.stringify(key.slice(0, classes.linked))))
    }
    // Under different keys of a link the same is asked.
    const same = Map.groupBy(entries, ({ key }) => JSON.stringify(key.slice(classes.linked)))
    const questions = [...same.values()].map(([first]) => (first as ClassEntry).key.slice(classes.linked))
    for (const key of await visibleOf(tx, definition.accessClass.query, questions, logger))
      for (const { name } of same.get(JSON.stringify(key)) ?? []) names.push(name)
  }
  return { names, asked }
}

/**
 * Those of some classes that the person sees. One that the policy fails for is not seen: the row cannot be selected either, and must not hold up the
 * others.
 */
async function visibleOf(
  tx: Transaction,
  text: string,
  keys: readonly ClassKey[],
  logger: Logger,
): Promise<readonly ClassKey[]> {
  if (keys.length === 0) return []
  const width = keys[0]?.length ?? 0
  const lists = Array.from({ length: width }, (_, index) => keys.map((key) => key[index] ?? null))
  await tx.execute(sql`savepoint classes`)
  try {
    const values = [keys.map((_, number) => number), ...lists]
    const name = `sync_classes_${createHash('sha1').update(text).digest('hex').slice(0, 16)}`
    const result = await tx.client.query<[number]>({ name, text, values, rowMode: 'array' })
    await tx.execute(sql`release savepoint classes`)
    return result.rows.map(([number]) => keys[number] as ClassKey)
  } catch (error) {
    if (isConnectionFailure(error)) throw error
    await tx.execute(sql`rollback to savepoint classes`)
    if (keys.length === 1) {
      logger.log('warn', 'a policy fails for some rows, so they are not synced by it', {
        statement: text.slice(0, 200),
        reason: errorMessage(error),
      })
      return []
    }
    const half = Math.ceil(keys.length / 2)
    return [
      ...(await visibleOf(tx, text, keys.slice(0, half), logger)),
      ...(await visibleOf(tx, text, keys.slice(half), logger)),
    ]
  }
}

function isConnectionFailure(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code
  return typeof code !== 'string' || /^(08|57|53|XX)/.test(code) || !/^[0-9A-Z]{5}$/.test(code)
}

/** Whether a part of the statement is the snapshot's, or a definition's by access classes. */
function isOfClass(text: string, role: RolePlan): boolean {
  return (
    text === SNAPSHOT_QUERY ||
    role.definitions.some(({ definition }) => {
      const link = definition.accessClass?.link
      return link !== undefined && text.includes(`from (${link.query}) q`)
    })
  )
}

async function evaluateOneByOne(
  tx: Transaction,
  role: RolePlan,
  logger: Logger,
  isWanted: (text: string, role: RolePlan) => boolean = () => true,
): Promise<KeyRow[]> {
  const rows: KeyRow[] = []
  for (const text of statementOf(role).parts) {
    if (!isWanted(text, role)) continue
    await tx.execute(sql`savepoint part`)
    try {
      rows.push(...(await query(tx, { text })))
      await tx.execute(sql`release savepoint part`)
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      logger.log('warn', 'a policy fails for a role, so its rows are not synced', {
        statement: text.slice(0, 200),
        reason: errorMessage(error),
      })
      await tx.execute(sql`rollback to savepoint part`)
    }
  }
  return rows
}

/** What a person has of the links of definitions by access classes. */
type LinkKeys = ReadonlyMap<ClassList, readonly ClassKey[]>

function collect(
  role: RolePlan,
  rows: readonly KeyRow[],
): Omit<EvaluatedKeys, 'asked'> & { readonly linkKeys: LinkKeys } {
  const linkKeys = new Map<ClassList, ClassKey[]>()
  const names = new Set<string>()
  const pins = new Map<string, string | null>()
  let snapshot: Snapshot | undefined
  let upTo: Lsn | undefined
  for (const [part, key] of rows) {
    if (part === SNAPSHOT_ROW) {
      snapshot = parseSnapshot(key[0] ?? '')
      upTo = parseLsn(key[1] ?? '')
    } else if (part >= PIN_ROWS) {
      const dependency = role.dependencies[part - PIN_ROWS]
      if (dependency) pins.set(dependency.key, key[0] ?? null)
    } else {
      const active = role.definitions[part]
      if (active?.classes) {
        const keys = linkKeys.get(active.classes)
        if (keys) keys.push(key)
        else linkKeys.set(active.classes, [key])
      } else if (active) names.add(bucketName(active.stored, key as readonly string[]))
    }
  }
  assert(snapshot && upTo !== undefined, 'the first row tells the snapshot')
  return { bucketNames: [...names], pins, snapshot, upTo, linkKeys }
}
