import { errorMessage } from '@holdfast/foundation'
import { type Pool, SQLSTATE, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import type { ReadingMemory } from './read/earlier-reading.ts'
import { disableEventTriggers } from './read/disable-event-triggers.ts'
import { LOCKED_REASON } from './syntax/parse.ts'
import type { KeyFunction, SyncPlan, TablePlan } from './plan.ts'

/**
 * Timeout between the statements of the transaction that creates functions. A hung process would keep its locks, blocking the process that takes over.
 */
const ABANDONED_AFTER = '5s'

/** SQLSTATE classes of permanent errors. @see PostgreSQL manual, appendix A */
const PERMANENT_STATES = /^(0A|21|22|23|2F|38|39|3F|42|44|54|P0)/

/**
 * Creates the functions called by a plan's key queries, and lets Postgres parse queries derived from PL/pgSQL bodies, which it does not check before execution.
 * Without notification, because these functions belong to a just compiled plan and would trigger recompilation.
 *
 * Parsing evaluates literals and may call user functions. Therefore the superuser creates functions without checking their bodies, and the role that compiles
 * policies does the parsing.
 *
 * Does not wait for locks: previously accepted texts are trusted while a table in them is locked.
 *
 * @param pools - connected as a superuser, and as `holdfast_reader`
 * @returns the plan; tables with statements Postgres rejects are refused with its reason, without affecting others
 */
export async function installKeyFunctions(
  { pool, compilerPool }: { readonly pool: Pool; readonly compilerPool: Pool },
  plan: SyncPlan,
  memory: ReadingMemory = {},
): Promise<SyncPlan> {
  const before = memory.accepted ?? new Set<string>()
  const accepted = new Set<string>()
  const reasonOfText = async (
    tx: Transaction,
    text: string,
    statements: readonly string[],
  ): Promise<string | undefined> => {
    let reason: string | undefined
    try {
      reason = await reasonOf(tx, statements, 'undo')
    } catch (error) {
      if (sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
      reason = before.has(text) ? undefined : LOCKED_REASON
    }
    if (reason === undefined) accepted.add(text)
    return reason
  }
  const queries = valueQueriesOf(plan)
  if (plan.keyFunctions.length === 0 && queries.size === 0) return plan
  const reasons = new Map<string, string>()
  await pool.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    await tx.execute(sql`set local holdfast.publishes = on`)
    await tx.execute(sql`set local check_function_bodies = off`)
    await tx.execute(sql`set local idle_in_transaction_session_timeout = ${sql.trusted(`'${ABANDONED_AFTER}'`)}`)
    const roles = new Set(['service_role', ...plan.keyFunctions.flatMap((keyFunction) => keyFunction.roles)])
    if (plan.keyFunctions.length > 0)
      await tx.execute(sql`grant usage on schema sync to ${sql.join([...roles].map((role) => sql.identifier(role)))}`)
    for (const keyFunction of plan.keyFunctions) {
      const reason = await reasonOf(tx, keyFunction.statements)
      if (reason !== undefined) reasons.set(keyFunction.name, describe(keyFunction, reason))
    }
  })
  await compilerPool.transaction(async (tx) => {
    await disableEventTriggers(tx)
    await tx.execute(sql`set local lock_timeout = '10ms'`)
    for (const keyFunction of plan.keyFunctions) {
      if (keyFunction.probe === undefined || reasons.has(keyFunction.name)) continue
      const reason = await reasonOfText(tx, keyFunction.probe, [keyFunction.probe])
      if (reason !== undefined) reasons.set(keyFunction.name, describe(keyFunction, reason))
    }
    for (const text of queries) {
      if ([...reasons.keys()].some((name) => text.includes(name))) continue
      const reason = await reasonOfText(tx, text, [`prepare holdfast_parsed as ${text}`, 'deallocate holdfast_parsed'])
      if (reason !== undefined) reasons.set(text, `Postgres cannot run a query of a function that it calls: ${reason}`)
    }
  })
  memory.accepted = accepted
  if (reasons.size === 0) return plan
  const isPartial = [...reasons.values()].some((reason) => reason.includes(LOCKED_REASON))
  return { ...withoutRefused(plan, reasons), ...(isPartial ? { isPartial } : {}) }
}

/** Returns pin queries run as the user, except those that only call a key function. */
function valueQueriesOf(plan: SyncPlan): ReadonlySet<string> {
  const own = new Set(plan.keyFunctions.map(({ name }) => `select q.k0 from ${name}() as q`))
  const texts = new Set<string>()
  for (const { pin } of plan.tables.flatMap((table) => table.definitions.flatMap((one) => one.dependencies)))
    if (pin && 'valuesSql' in pin && !own.has(pin.valuesSql)) texts.add(pin.valuesSql)
  return texts
}

function describe({ calledBy }: KeyFunction, reason: string): string {
  return calledBy === undefined
    ? `Postgres cannot run a query of its policies: ${reason}`
    : `Postgres cannot run a query of the function ${calledBy}: ${reason}`
}

/** Runs statements atomically; `undo` only tests them. @returns Postgres's error; `undefined` on success */
async function reasonOf(
  tx: Transaction,
  statements: readonly string[],
  then: 'keep' | 'undo' = 'keep',
): Promise<string | undefined> {
  await tx.execute(sql`savepoint installed`)
  try {
    for (const statement of statements) await tx.execute(sql.trusted(statement))
    if (then === 'undo') await tx.execute(sql`rollback to savepoint installed`)
    await tx.execute(sql`release savepoint installed`)
    return undefined
  } catch (error) {
    const state = sqlstateOf(error) ?? ''
    const isLocked = state === SQLSTATE.lockNotAvailable
    if (!isLocked && !PERMANENT_STATES.test(state)) throw error
    await tx.execute(sql`rollback to savepoint installed`)
    await tx.execute(sql`release savepoint installed`)
    if (isLocked) throw error
    return errorMessage(error)
  }
}

/** @param reasons - by a name or text in the affected queries */
function withoutRefused(plan: SyncPlan, reasons: ReadonlyMap<string, string>): SyncPlan {
  const tables: TablePlan[] = []
  const refused = [...plan.refused]
  // A key function may call another.
  const unusable = new Map(reasons)
  for (let before = -1; before < unusable.size;) {
    before = unusable.size
    for (const { name, statements } of plan.keyFunctions) {
      const found = unusable.has(name)
        ? undefined
        : [...unusable].find(([text]) => (statements[0] ?? '').includes(text))
      if (found) unusable.set(name, found[1])
    }
  }
  for (const table of plan.tables) {
    const found = [...unusable].find(([text]) => textsOf(table).some((one) => one.includes(text)))
    if (!found) {
      tables.push(table)
      continue
    }
    const { schema, name, oid } = table
    const culprit = table.definitions.find((one) =>
      textsOf({ definitions: [one] }).some((text) => text.includes(found[0])),
    )
    const [policy] = culprit?.policies ?? []
    refused.push({ schema, name, oid, ...(policy === undefined ? {} : { policy }), reason: found[1] })
  }
  const out = refused.slice(plan.refused.length).map(({ oid }) => oid)
  const keyFunctions = plan.keyFunctions.filter(({ name }) => !unusable.has(name))
  return { ...plan, version: `${plan.version}-${out.join('-')}`, tables, refused, keyFunctions }
}

function textsOf({ definitions }: Pick<TablePlan, 'definitions'>): readonly string[] {
  return definitions.flatMap(({ keyQuery, accessClass, dependencies }) => [
    keyQuery,
    ...(accessClass ? [accessClass.query, accessClass.link?.query ?? ''] : []),
    ...dependencies.flatMap(({ pin }) => (pin && 'valuesSql' in pin ? [pin.valuesSql] : [])),
  ])
}
