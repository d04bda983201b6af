import { FACT_VALUES_MAX, type CompiledWriteRules, type FactQuery } from '@holdfast/policy'
import { runAs, sql, sqlstateOf, type Connections, type Session } from '@holdfast/postgres'
import type { RuleFact } from '@holdfast/protocol'

/** Facts evaluated per statement. */
const FACTS_PER_STATEMENT = 50
/** Timeout in ms of one statement, and of all statements for single facts together. */
const TIMEOUT_MS = 3_000
/** Maximum values in all lists of a user; further lists are omitted. */
const VALUES_MAX = 20_000

type Value = RuleFact['value']

/**
 * Evaluates in Postgres, as the user, the parts of policies that depend only on the user. Omits facts whose query fails or whose list is too long; rules that
 * depend on them are decided by the server.
 */
export async function evaluateFacts(
  pool: Connections,
  session: Session,
  { facts, localNames }: CompiledWriteRules,
): Promise<Readonly<Record<string, RuleFact>>> {
  const found: Record<string, RuleFact> = {}
  let values = 0
  const add = ({ name, reads }: FactQuery, value: Value): void => {
    const count = Array.isArray(value) ? value.length : 1
    if (count > FACT_VALUES_MAX || values + count > VALUES_MAX) return
    values += count
    found[name] = { value, reads: reads.flatMap((oid) => localNames.get(oid) ?? []).sort() }
  }
  const deadline = performance.now() + TIMEOUT_MS
  for (let start = 0; start < facts.length; start += FACTS_PER_STATEMENT) {
    const some = facts.slice(start, start + FACTS_PER_STATEMENT)
    const answers = await ask(pool, session, some)
    for (const [index, fact] of some.entries()) {
      if (answers) add(fact, answers[index] ?? null)
      else if (performance.now() < deadline) {
        const single = await ask(pool, session, [fact])
        if (single) add(fact, single[0] ?? null)
      }
    }
  }
  return found
}

/** @returns `undefined` if a fact fails */
async function ask(
  pool: Connections,
  session: Session,
  facts: readonly FactQuery[],
): Promise<readonly Value[] | undefined> {
  const columns = facts.map((fact, index) => `${fact.sql} as f${index}`)
  try {
    return await runAs(pool, session, async (tx) => {
      await tx.execute(sql.trusted(`set transaction read only`))
      await tx.execute(sql.trusted(`set local statement_timeout = ${TIMEOUT_MS}`))
      const [row] = await tx.query<Record<string, Value>>(sql.trusted(`select ${columns.join(', ')}`))
      return facts.map((_, index) => row?.[`f${index}`] ?? null)
    })
  } catch (error) {
    // Project functions raise errors with an SQLSTATE; a lost connection has none.
    if (sqlstateOf(error) === undefined) throw error
    return undefined
  }
}
