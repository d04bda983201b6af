import { sql, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { AccessExplanation, AccessVerdict, PolicyCommand, PolicyIdentity, PolicyResult } from '@holdfast/protocol'
import { invalidRequest, tableReadOnly } from '../errors.ts'
import { VALUE_BYTES_MAX } from '../limits.ts'
import { addressCondition, addressKindOf, columnOf } from '../tables/page-query.ts'
import type { RowsNeeds } from '../tables/read-rows.ts'
import { readTable, type KnownTable } from '../tables/read-table.ts'
import { rolledBack } from '../tables/rolled-back.ts'
import { runAsIdentity } from '../tables/table-session.ts'
import { readApplicablePolicies, type ApplicablePolicy } from './applicable-policies.ts'
import { decideAccess, groupsOf, type StatementOutcome } from './decide-access.ts'
import { Attempts, evaluatePolicies, Failed, type PrintedRow } from './evaluate-policies.ts'
import { printNewRow } from './new-row.ts'

export interface AccessQuestion {
  readonly schema: string
  readonly table: string
  readonly as: PolicyIdentity
  /** The existing row; missing for an insert. */
  readonly address: readonly string[] | undefined
  /** A JSON object: values of a new row, or those that an update would write. */
  readonly values: string | undefined
}

/**
 * Explains what a user may do with a row, or with values that they would write. Postgres runs each statement as the user and rolls it back; then each policy is
 * evaluated as the user for that row.
 *
 * @throws {HoldfastError} `no_such_table`, `table_read_only`, `invalid_request`, `rows_timeout`
 */
export async function explainAccess(needs: RowsNeeds, question: AccessQuestion): Promise<AccessExplanation> {
  const { as, address, values } = question
  const table = await readTable(needs.pool, question.schema, question.table)
  if (table.kind !== 'table' && table.kind !== 'partitioned table')
    throw tableReadOnly(`A ${table.kind} has no policies. Look at the tables that it reads.`)
  if (address === undefined && values === undefined) throw invalidRequest('Name a row, or the values of a new one.')
  const columns = values === undefined ? [] : readColumns(table, values)
  const existing = address && (await printRow(needs, table, address))
  const session = (await needs.openSession(as))?.session
  if (!session) throw invalidRequest('There is no such user.')
  const policies = await readApplicablePolicies(needs.pool, table.oid, session.role)
  const userId = session.claims['sub']
  const asUser = (body: (tx: Transaction) => Promise<never>): Promise<never> =>
    runAsIdentity(needs.openSession, as, { isReadOnly: false }, body)
  const verdicts = await rolledBack(asUser, async (tx) => {
    const [row] = await tx.query<{ isActive: boolean }>(
      sql`select pg_catalog.row_security_active(${table.oid}::int8::oid) as "isActive"`,
    )
    return await new Explaining(tx, needs.pool, table, policies, session.role, row?.isActive === true).explain({
      address,
      existing,
      values,
      columns,
    })
  })
  return { role: session.role, ...(typeof userId === 'string' && { userId }), verdicts }
}

interface Given {
  readonly address: readonly string[] | undefined
  readonly existing: PrintedRow | undefined
  readonly values: string | undefined
  /** Columns that the values name. */
  readonly columns: readonly string[]
}

/** Explains access to one table as one user, within their transaction. */
class Explaining {
  readonly #attempts: Attempts
  readonly #pool: Pool
  readonly #table: KnownTable
  readonly #policies: readonly ApplicablePolicy[]
  readonly #role: string
  readonly #isActive: boolean
  /** Results by command and row: several commands need the same ones. */
  readonly #results = new Map<string, readonly PolicyResult[]>()

  constructor(
    tx: Transaction,
    pool: Pool,
    table: KnownTable,
    policies: readonly ApplicablePolicy[],
    role: string,
    isActive: boolean,
  ) {
    this.#attempts = new Attempts(tx)
    this.#pool = pool
    this.#table = table
    this.#policies = policies
    this.#role = role
    this.#isActive = isActive
  }

  async explain(given: Given): Promise<readonly AccessVerdict[]> {
    const { address, existing, values } = given
    const isProposed = values !== undefined
    const commands: readonly PolicyCommand[] =
      address === undefined ? ['insert'] : isProposed ? ['update'] : ['select', 'update', 'delete']
    const added = isProposed
      ? await printNewRow(this.#attempts, this.#pool, this.#table, { existing, values, columns: given.columns })
      : undefined
    const verdicts: AccessVerdict[] = []
    for (const command of commands) {
      const outcome = await this.#run(command, given)
      const results: PolicyResult[] = []
      if (this.#isActive)
        for (const group of groupsOf(command)) {
          const row = group.row === 'existing' ? existing : added
          if (row !== undefined && !(row instanceof Failed)) results.push(...(await this.#evaluate(group, row)))
        }
      verdicts.push(decideAccess(command, this.#role, results, outcome, this.#isActive))
    }
    return verdicts
  }

  async #evaluate(group: Pick<PolicyResult, 'command' | 'row'>, row: PrintedRow): Promise<readonly PolicyResult[]> {
    const key = `${group.command} ${group.row}`
    const known = this.#results.get(key)
    if (known) return known
    const results = await evaluatePolicies(this.#attempts, this.#table, this.#policies, group, row)
    this.#results.set(key, results)
    return results
  }

  /** Runs the command itself. */
  async #run(command: PolicyCommand, given: Given): Promise<StatementOutcome> {
    const outcome = await this.#attempts.run((tx) => tx.execute(statementOf(this.#table, command, given)))
    if (outcome instanceof Failed)
      return { isAllowed: false, error: outcome.message, isPolicyRefusal: outcome.isPolicyRefusal }
    return { isAllowed: outcome > 0, isPolicyRefusal: outcome === 0 }
  }
}

function statementOf(table: KnownTable, command: PolicyCommand, { address, values, columns }: Given): SqlFragment {
  const name = sql.identifier(table.schema, table.name)
  const proposed = sql`pg_catalog.jsonb_populate_record(null::${name}, ${values ?? '{}'}::text::jsonb) v`
  const names = columns.map((column) => sql.identifier(column))
  if (command === 'insert')
    return names.length === 0
      ? sql`insert into ${name} default values`
      : sql`insert into ${name} (${sql.join(names)}) select ${sql.join(names.map((one) => sql`v.${one}`))} from ${proposed}`
  const where = addressCondition(table, address ?? [])
  if (command === 'select') return sql`select from ${name} t where ${where}`
  if (command === 'delete') return sql`delete from ${name} t where ${where}`
  // Locks the row as an update would, under the same policies, without firing triggers.
  if (names.length === 0) return sql`select from ${name} t where ${where} for no key update`
  return sql`update ${name} t set ${sql.join(names.map((one) => sql`${one} = v.${one}`))} from ${proposed} where ${where}`
}

/** Prints a row as the project sees it. @throws {HoldfastError} `invalid_request` */
async function printRow(needs: RowsNeeds, table: KnownTable, address: readonly string[]): Promise<PrintedRow> {
  if (addressKindOf(table) === 'none') throw tableReadOnly('The table has no key, so its rows cannot be told apart.')
  const name = sql.identifier(table.schema, table.name)
  const [found] = await runAsIdentity(needs.openSession, { kind: 'postgres' }, { isReadOnly: true }, (tx) =>
    tx.query<{ row: string | null }>(sql`
      select case when octet_length(t::text) <= ${VALUE_BYTES_MAX} then t::text end as row
        from ${name} t where ${addressCondition(table, address)} limit 1`),
  )
  if (!found) throw invalidRequest('The row is gone, or the project’s role does not see it.')
  if (found.row === null) throw invalidRequest(`The row has more than ${VALUE_BYTES_MAX} bytes.`)
  return found.row
}

/** Returns the columns that a JSON object names. @throws {HoldfastError} `invalid_request` */
function readColumns(table: KnownTable, values: string): readonly string[] {
  let read: unknown
  try {
    read = JSON.parse(values)
  } catch {
    // Reported below, as JSON that is no object.
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw invalidRequest('The values are not a JSON object, such as {"title": "New"}.')
  return Object.keys(read).map((name) => columnOf(table, name).name)
}
