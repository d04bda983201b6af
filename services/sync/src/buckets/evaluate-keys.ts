import { createHash } from 'node:crypto'
import { errorMessage } from '@holdfast/foundation'
import { assumeSession, authorOf, sql, type Connections, type Session, type Transaction } from '@holdfast/postgres'
import { problemOfClasses } from './access-classes.ts'
import type { ClassEntry, ClassKey, ClassList } from './class-list.ts'
import { DEFAULT_STREAM, type RolePlan } from './active-plan.ts'
import type { AskedClasses, EvaluatedKeys, EvaluatedSubscription, StreamSubscription } from './evaluated-keys.ts'
import { CLASS_TIMEOUT_MS, CLASSES_TIMEOUT_MS, KEYS_PART_TIMEOUT_MS, LINK_KEYS_PER_CLIENT_MAX } from '../limits.ts'
import { isStatementFailure, isTimeout, type PolicyFailures } from './policy-failures.ts'
import {
  collect,
  createPins,
  roleOf,
  SNAPSHOT_QUERY,
  snapshotIn,
  statementOf,
  tableOf,
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
  })
  return result.rows
}

/**
 * Evaluates in Postgres, as the user and under row-level security, which keys they have, in one snapshot.
 * A definition whose query fails for this user, for example because a policy reads a table they may not select from, yields no buckets: selecting from the
 * table fails for them too.
 */
export async function evaluateKeys(
  pool: Connections,
  subscriptions: readonly StreamSubscription[],
  session: Session,
  failures: PolicyFailures,
  timeoutMs = KEYS_PART_TIMEOUT_MS,
): Promise<EvaluatedKeys> {
  return inOneSnapshot(pool, session, timeoutMs, async (tx) => {
    let at: SnapshotAt | undefined
    const pins = createPins()
    const evaluated: EvaluatedSubscription[] = []
    for (const subscription of subscriptions) {
      const role = roleOf(subscription, session)
      await subscribeTo(tx, subscription)
      const read = await readRows(tx, role, subscription, failures)
      const { rows, isVoid } = read
      let { problem, isTimedOut } = read
      at ??= snapshotIn(rows)
      // An invalid parameter matches nothing, and no row change can alter that.
      if (isVoid) {
        evaluated.push({ bucketNames: [], asked: undefined, problem })
        continue
      }
      const collected = collect(role, rows)
      const { names, asked, crowded, failed } = await askForClasses(tx, role, collected.linkKeys, new Map(), failures)
      problem ??= failed && failingPolicies([failed.table])
      isTimedOut ||= failed?.isTimedOut === true
      pins.add(role, collected.pins)
      problem = withProblem(problem, problemOfClasses([...asked.keys()], authorOf(session)))
      const failing = [...read.failing, ...(failed ? [failed.table] : [])]
      evaluated.push({
        bucketNames: [...collected.bucketNames, ...names],
        asked,
        problem,
        crowded,
        failing,
        isTimedOut,
      })
    }
    at ??= snapshotIn(await query(tx, { text: SNAPSHOT_QUERY }))
    return { ...at, subscriptions: evaluated, ...pins.taken() }
  })
}

function inOneSnapshot<T>(
  pool: Connections,
  session: Session,
  timeoutMs: number,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await limitStatements(tx, timeoutMs)
    await assumeSession(tx, session)
    return body(tx)
  })
}

const NO_PARAMETERS = '{}'

/** Sets the subscription's parameters for the transaction or until the next subscription. */
async function subscribeTo(tx: Transaction, { stream, parameters }: StreamSubscription): Promise<void> {
  // Only declared streams read parameters.
  if (stream.name !== DEFAULT_STREAM)
    await tx.execute(sql`select set_config('request.subscription', ${subscriptionText(parameters)}, true)`)
}

/** Renders the setting `request.subscription` for a subscription's parameters. */
export function subscriptionText(parameters: string): string {
  return parameters === NO_PARAMETERS ? '' : parameters
}

interface ReadRows {
  readonly rows: readonly KeyRow[]
  readonly problem: string | undefined
  /** Tables for which a policy fails for the user. */
  readonly failing: readonly string[]
  /** Whether a parameter is invalid for its type. */
  readonly isVoid: boolean
  readonly isTimedOut: boolean
}

async function readRows(
  tx: Transaction,
  role: RolePlan,
  subscription: StreamSubscription,
  failures: PolicyFailures,
): Promise<ReadRows> {
  const { name, text } = statementOf(role, subscription.stream)
  await tx.execute(sql`savepoint keys`)
  try {
    const rows = await query(tx, { name, text })
    return { rows, problem: subscription.stream.problem, failing: [], isVoid: false, isTimedOut: false }
  } catch (error) {
    if (!isStatementFailure(error)) throw error
    await tx.execute(sql`rollback to savepoint keys`)
    return readOneByOne(tx, role, subscription, failures)
  }
}

/** A {@link StreamSubscription} and what has been evaluated for it. */
export interface AskedSubscription {
  readonly subscription: StreamSubscription
  readonly asked: AskedClasses | undefined
}

/** Whether there are classes that have not been evaluated. */
export function hasNewClasses(subscriptions: readonly AskedSubscription[], session: Session): boolean {
  return subscriptions.some(({ subscription, asked }) =>
    roleOf(subscription, session).definitions.some(
      ({ classes }) =>
        asked &&
        classes &&
        (classes.entries.length > (asked.get(classes)?.upTo ?? 0) ||
          classes.leftOutVersion !== (asked.get(classes)?.leftOutVersion ?? 0)),
    ),
  )
}

/** Result of {@link evaluateClasses}. */
export interface EvaluatedClasses extends SnapshotAt {
  /** In subscription order. */
  readonly subscriptions: readonly Pick<
    EvaluatedSubscription,
    'bucketNames' | 'asked' | 'problem' | 'failing' | 'isTimedOut'
  >[]
}

/** Evaluates the classes added since the last evaluation. */
export async function evaluateClasses(
  pool: Connections,
  subscriptions: readonly AskedSubscription[],
  session: Session,
  failures: PolicyFailures,
): Promise<EvaluatedClasses> {
  return inOneSnapshot(pool, session, KEYS_PART_TIMEOUT_MS, async (tx) => {
    let at: SnapshotAt | undefined
    const evaluated: EvaluatedClasses['subscriptions'][number][] = []
    for (const { subscription, asked: before } of subscriptions) {
      if (!before || !hasNewClasses([{ subscription, asked: before }], session)) {
        evaluated.push({ bucketNames: [], asked: before, problem: undefined })
        continue
      }
      await subscribeTo(tx, subscription)
      const role = roleOf(subscription, session)
      // Evaluates only the links of classes.
      const { rows } = await readOneByOne(
        tx,
        role,
        subscription,
        failures,
        ({ isOfClass, text }) => isOfClass || text === SNAPSHOT_QUERY,
      )
      at ??= snapshotIn(rows)
      const { names, asked, failed } = await askForClasses(tx, role, collect(role, rows).linkKeys, before, failures)
      const problem = withProblem(
        failed && failingPolicies([failed.table]),
        problemOfClasses([...asked.keys()], authorOf(session)),
      )
      evaluated.push({
        bucketNames: names,
        asked,
        problem,
        failing: failed ? [failed.table] : [],
        isTimedOut: failed?.isTimedOut === true,
      })
    }
    at ??= snapshotIn(await query(tx, { text: SNAPSHOT_QUERY }))
    return { ...at, subscriptions: evaluated }
  })
}

/** Joins two problems without repeating one. */
export function withProblem(before: string | undefined, added: string | undefined): string | undefined {
  if (before === undefined || added === undefined) return before ?? added
  return before.includes(added) ? before : `${before}; ${added}`
}

interface AnswerOfClasses {
  readonly names: readonly string[]
  readonly asked: AskedClasses
  readonly crowded: readonly string[]
  readonly failed?: FailedClasses
}

async function askForClasses(
  tx: Transaction,
  role: RolePlan,
  linkKeys: LinkKeys,
  before: AskedClasses,
  failures: PolicyFailures,
): Promise<AnswerOfClasses> {
  const names: string[] = []
  const crowded: string[] = []
  let failed: FailedClasses | undefined
  const asked: Map<ClassList, { upTo: number; leftOutVersion: number }> = new Map()
  for (const { definition, stored, classes } of role.definitions) {
    if (!classes || !definition.accessClass) continue
    const from = before.get(classes)?.upTo ?? 0
    asked.set(classes, { upTo: classes.entries.length, leftOutVersion: classes.leftOutVersion })
    let entries: readonly ClassEntry[]
    if (!definition.accessClass.link) entries = classes.entries.slice(from)
    else {
      const keys = linkKeys.get(classes) ?? []
      if (keys.length > LINK_KEYS_PER_CLIENT_MAX) {
        crowded.push(`${stored.id}.${stored.tag}`)
        continue
      }
      const has = new Set(keys.map((key) => JSON.stringify(key)))
      entries =
        from === 0
          ? keys.flatMap((key) => classes.under(key))
          : classes.entries.slice(from).filter(({ key }) => has.has(JSON.stringify(key.slice(0, classes.linked))))
    }
    // Classes that differ only in link keys have the same condition.
    const same = Map.groupBy(entries, ({ key }) => JSON.stringify(key.slice(classes.linked)))
    const questions = [...same.values()].map(([first]) => (first as ClassEntry).key.slice(classes.linked))
    const table = tableOf(definition)
    const onFailure = (error: unknown): void => {
      failures.note({ table, of: 'person', sql: definition.accessClass?.condition ?? '' }, error)
      failed = { table, isTimedOut: isTimeout(error) || failed?.isTimedOut === true }
    }
    for (const key of await visibleOf(tx, definition.accessClass.query, questions, onFailure))
      for (const { name } of same.get(JSON.stringify(key)) ?? []) names.push(name)
    if (failed?.isTimedOut) await limitStatements(tx, KEYS_PART_TIMEOUT_MS)
  }
  return failed ? { names, asked, crowded, failed } : { names, asked, crowded }
}

/** Classes that could not be evaluated. */
interface FailedClasses {
  readonly table: string
  readonly isTimedOut: boolean
}

/**
 * Returns the classes that the user sees. A class for which the policy fails counts as not visible, because the user cannot select its rows either, and does
 * not affect the other classes.
 */
async function visibleOf(
  tx: Transaction,
  text: string,
  keys: readonly ClassKey[],
  onFailure: (error: unknown) => void,
  until = performance.now() + CLASSES_TIMEOUT_MS,
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
    if (!isStatementFailure(error)) throw error
    await tx.execute(sql`rollback to savepoint classes`)
    if (keys.length === 1 || performance.now() > until) {
      onFailure(error)
      return []
    }
    // An endless class must not prevent the evaluation of others, so each of the following gets little time.
    if (isTimeout(error)) await limitStatements(tx, CLASS_TIMEOUT_MS)
    const size = Math.ceil(keys.length / (isTimeout(error) ? 16 : 2))
    const found: ClassKey[] = []
    for (let at = 0; at < keys.length; at += size)
      found.push(...(await visibleOf(tx, text, keys.slice(at, at + size), onFailure, until)))
    return found
  }
}

function limitStatements(tx: Transaction, timeoutMs: number): Promise<number> {
  return tx.execute(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`)
}

async function readOneByOne(
  tx: Transaction,
  role: RolePlan,
  { stream }: StreamSubscription,
  failures: PolicyFailures,
  isWanted: (part: KeyPart) => boolean = () => true,
): Promise<ReadRows> {
  const rows: KeyRow[] = []
  const failing = new Set<string>()
  let isTimedOut = false
  for (const part of statementOf(role, stream).parts) {
    if (!isWanted(part)) continue
    const { text, parameter } = part
    await tx.execute(sql`savepoint part`)
    try {
      rows.push(...(await query(tx, { text })))
      await tx.execute(sql`release savepoint part`)
    } catch (error) {
      if (!isStatementFailure(error)) throw error
      await tx.execute(sql`rollback to savepoint part`)
      // The message is about the device's own value and may be sent to it.
      if (parameter !== undefined)
        return {
          rows,
          problem: `parameter "${parameter}": ${errorMessage(error)}`,
          failing: [],
          isVoid: true,
          isTimedOut,
        }
      isTimedOut ||= isTimeout(error)
      // Without a pin a change concerns everyone, so nothing is missed.
      if (part.table === undefined) continue
      failing.add(part.table)
      failures.note({ table: part.table, of: 'person', sql: text }, error)
    }
  }
  const problem = failing.size > 0 ? failingPolicies([...failing]) : stream.problem
  return { rows, problem, failing: [...failing], isVoid: false, isTimedOut }
}

/** For the device's log, which contains no policy details. */
function failingPolicies(tables: readonly string[]): string {
  return `a policy of ${tables.join(', ')} fails for you, so that rows are missing`
}
