import { createHash } from 'node:crypto'
import type pg from 'pg'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { assumeSession, sql, type Connections, type Session, type Transaction } from '@holdfast/postgres'
import type { ClassEntry, ClassKey, ClassList } from './access-classes.ts'
import { DEFAULT_STREAM, type RolePlan } from './active-plan.ts'
import type { AskedClasses, EvaluatedKeys, EvaluatedWant, Want } from './evaluated-keys.ts'
import {
  collect,
  createPins,
  roleOf,
  SNAPSHOT_QUERY,
  snapshotIn,
  statementOf,
  type KeyPart,
  type KeyRow,
  type LinkKeys,
  type SnapshotAt,
} from './key-statement.ts'

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
  pool: Connections,
  wants: readonly Want[],
  session: Session,
  logger: Logger,
): Promise<EvaluatedKeys> {
  return inOneSnapshot(pool, session, async (tx) => {
    let at: SnapshotAt | undefined
    const pins = createPins()
    const evaluated: EvaluatedWant[] = []
    for (const want of wants) {
      const role = roleOf(want, session)
      await subscribeTo(tx, want)
      const { rows, problem, isVoid } = await readRows(tx, role, want, logger)
      at ??= snapshotIn(rows)
      // It names nothing, and no change of a row will make it name something.
      if (isVoid) {
        evaluated.push({ bucketNames: [], asked: undefined, problem })
        continue
      }
      const collected = collect(role, rows)
      const { names, asked } = await askForClasses(tx, role, collected.linkKeys, new Map(), logger)
      pins.add(role, collected.pins)
      evaluated.push({ bucketNames: [...collected.bucketNames, ...names], asked, problem })
    }
    at ??= snapshotIn(await query(tx, { text: SNAPSHOT_QUERY }))
    return { ...at, wants: evaluated, ...pins.taken() }
  })
}

function inOneSnapshot<T>(pool: Connections, session: Session, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await assumeSession(tx, session)
    return body(tx)
  })
}

const NO_PARAMETERS = '{}'

/** Tells Postgres what the subscription asks for, until the transaction or the next subscription. */
async function subscribeTo(tx: Transaction, { stream, parameters }: Want): Promise<void> {
  // Nothing in a stream that nobody declared reads them.
  if (stream.name !== DEFAULT_STREAM)
    await tx.execute(sql`select set_config('request.subscription', ${subscriptionText(parameters)}, true)`)
}

/** What the setting `request.subscription` has for the parameters of a want. */
export function subscriptionText(parameters: string): string {
  return parameters === NO_PARAMETERS ? '' : parameters
}

interface ReadRows {
  readonly rows: readonly KeyRow[]
  readonly problem: string | undefined
  /** A parameter is no value of its type. */
  readonly isVoid: boolean
}

async function readRows(tx: Transaction, role: RolePlan, want: Want, logger: Logger): Promise<ReadRows> {
  const { name, text } = statementOf(role, want.stream)
  await tx.execute(sql`savepoint keys`)
  try {
    const rows = await query(tx, { name, text })
    return { rows, problem: want.stream.problem, isVoid: false }
  } catch (error) {
    if (isConnectionFailure(error)) throw error
    await tx.execute(sql`rollback to savepoint keys`)
    return readOneByOne(tx, role, want, logger)
  }
}

/** A {@link Want} and what has been asked for it before. */
export interface AskedWant {
  readonly want: Want
  readonly asked: AskedClasses | undefined
}

/** Whether there are classes that have not been asked for. */
export function hasNewClasses(wants: readonly AskedWant[], session: Session): boolean {
  return wants.some(({ want, asked }) =>
    roleOf(want, session).definitions.some(
      ({ classes }) => asked && classes && classes.entries.length > (asked.get(classes) ?? 0),
    ),
  )
}

/** What {@link evaluateClasses} found. */
export interface EvaluatedClasses extends Pick<EvaluatedKeys, 'snapshot' | 'upTo'> {
  /** In the order of the wants. */
  readonly wants: readonly Pick<EvaluatedWant, 'bucketNames' | 'asked'>[]
}

/** Asks for the classes that came to be since. */
export async function evaluateClasses(
  pool: Connections,
  wants: readonly AskedWant[],
  session: Session,
  logger: Logger,
): Promise<EvaluatedClasses> {
  return inOneSnapshot(pool, session, async (tx) => {
    let at: SnapshotAt | undefined
    const evaluated: EvaluatedClasses['wants'][number][] = []
    for (const { want, asked: before } of wants) {
      if (!before || !hasNewClasses([{ want, asked: before }], session)) {
        evaluated.push({ bucketNames: [], asked: before })
        continue
      }
      await subscribeTo(tx, want)
      const role = roleOf(want, session)
      // Only what the classes are narrowed by.
      const { rows } = await readOneByOne(
        tx,
        role,
        want,
        logger,
        ({ isOfClass, text }) => isOfClass || text === SNAPSHOT_QUERY,
      )
      at ??= snapshotIn(rows)
      const { names, asked } = await askForClasses(tx, role, collect(role, rows).linkKeys, before, logger)
      evaluated.push({ bucketNames: names, asked })
    }
    at ??= snapshotIn(await query(tx, { text: SNAPSHOT_QUERY }))
    return { ...at, wants: evaluated }
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

async function readOneByOne(
  tx: Transaction,
  role: RolePlan,
  { stream }: Want,
  logger: Logger,
  isWanted: (part: KeyPart) => boolean = () => true,
): Promise<ReadRows> {
  const rows: KeyRow[] = []
  let { problem } = stream
  for (const part of statementOf(role, stream).parts) {
    if (!isWanted(part)) continue
    const { text, parameter } = part
    await tx.execute(sql`savepoint part`)
    try {
      rows.push(...(await query(tx, { text })))
      await tx.execute(sql`release savepoint part`)
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      await tx.execute(sql`rollback to savepoint part`)
      // About the device's own value, so that the device may read it.
      if (parameter !== undefined)
        return { rows, problem: `parameter "${parameter}": ${errorMessage(error)}`, isVoid: true }
      problem = 'a policy fails, so that rows are missing'
      logger.log('warn', 'a policy fails for a role, so its rows are not synced', {
        statement: text.slice(0, 200),
        reason: errorMessage(error),
      })
    }
  }
  return { rows, problem, isVoid: false }
}
