import { HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, runAs, sql, type Connections, type Session, type Transaction } from '@holdfast/postgres'
import { COUNTED_MAX, RECORDS_MAX, REQUEST_MS, STATEMENT_MS, TABLES_MAX } from './limits.ts'
import { conditionOf, readRowPolicies, rowsOf, type RowPolicy } from './policies.ts'

export interface SeeAsNeeds {
  /** The caller's, and the member's: both take turns on them. */
  readonly connections: Connections
  /** Connected as the project, for the texts of policies. */
  readonly project: Connections
  /** The claims of a user's own token; `undefined` if the account is gone. */
  readonly claimsOf: (userId: string) => Promise<Readonly<Record<string, unknown>> | undefined>
}

export interface TableCounts {
  readonly table: string
  /** Records, {@link COUNTED_MAX} + 1 at most; `null` if the policies failed or took too long. */
  readonly sees: number | null
  readonly changes: number | null
}

export interface SeenRecord {
  readonly id: string
  readonly sees: boolean
  readonly changes: boolean
  /** Policies that let the member see the record, and change it. */
  readonly seesBy: readonly string[]
  readonly changesBy: readonly string[]
}

export interface SeenAs {
  readonly member: { readonly name: string; readonly role: string }
  readonly tables: readonly TableCounts[]
  /** Of the table that was asked for: records that the caller sees, {@link RECORDS_MAX} at most. */
  readonly records: readonly SeenRecord[] | undefined
}

interface Found {
  readonly userId: string
  readonly name: string
  readonly role: string
  readonly tables: readonly string[]
  readonly ids: readonly string[]
}

/**
 * Reads what a member sees of a workspace, as that member and read-only. Of records, only ids that the caller sees are returned; of others only the number.
 *
 * @param caller - an owner or admin of the workspace
 * @throws {HoldfastError} 403 `not_admin`, 404 `member_not_found` or `table_not_found`
 */
export async function seeAs(
  { connections, project, claimsOf }: SeeAsNeeds,
  caller: Session,
  request: { readonly workspace: string; readonly member: string; readonly table: string | undefined },
): Promise<SeenAs> {
  const found = await runAs(connections, readOnly(caller), (tx) => findAsCaller(tx, request))
  const claims = await claimsOf(found.userId)
  if (!claims) throw new HoldfastError('member_not_found', 404, 'The account of this member is gone.')
  const policies = await project.transaction((tx) => readRowPolicies(tx, found.tables))
  const session = readOnly({ role: 'authenticated', claims })
  return runAs(connections, session, async (tx) => {
    const endMs = performance.now() + REQUEST_MS
    const tables: TableCounts[] = []
    for (const table of found.tables) {
      const of = policies.filter((policy) => policy.table === table)
      const counts = performance.now() > endMs ? undefined : await attempt(tx, () => count(tx, table, of))
      tables.push({ table, sees: counts?.sees ?? null, changes: counts?.changes ?? null })
    }
    const { table } = request
    const of = policies.filter((policy) => policy.table === table)
    const records = table === undefined ? undefined : await attempt(tx, () => compare(tx, table, of, found.ids))
    return { member: { name: found.name, role: found.role }, tables, records }
  })
}

function readOnly({ role, claims }: Session): Session {
  return { role, claims, settings: { transaction_read_only: 'on', statement_timeout: `${STATEMENT_MS}ms` } }
}

async function findAsCaller(
  tx: Transaction,
  {
    workspace,
    member,
    table,
  }: { readonly workspace: string; readonly member: string; readonly table: string | undefined },
): Promise<Found> {
  const [found] = await tx.query<
    Omit<Found, 'ids' | 'userId'> & { readonly isAdmin: boolean; readonly userId: string | null }
  >(sql`
    select coalesce(holdfast.role_in(${workspace}) >= 'admin', false) as "isAdmin", m.user_id as "userId", m.name, m.role,
           array(select t.table_name from holdfast.tables t
                  where t.workspace_id = ${workspace} and t.schema_name = 'public' and to_regclass(format('public.%I', t.table_name)) is not null
                  order by t.table_name limit ${TABLES_MAX}) as tables
      from (select) one
      left join holdfast.members m on m.id = ${member} and m.workspace_id = ${workspace} and m.status = 'active'`)
  if (found?.isAdmin !== true)
    throw new HoldfastError('not_admin', 403, 'Only owners and admins of the workspace see it as somebody else.')
  const { userId, tables } = found
  if (userId === null) throw new HoldfastError('member_not_found', 404, 'The workspace has no such active member.')
  if (table === undefined) return { ...found, userId, ids: [] }
  if (!tables.includes(table)) throw new HoldfastError('table_not_found', 404, 'The workspace has no such table.')
  const rows = await tx.query<{ id: string }>(
    sql`select id::text as id from ${sql.identifier('public', table)} order by created_at desc, id limit ${RECORDS_MAX}`,
  )
  return { ...found, userId, ids: rows.map(({ id }) => id) }
}

async function count(
  tx: Transaction,
  table: string,
  policies: readonly RowPolicy[],
): Promise<Omit<TableCounts, 'table'>> {
  const [row] = await tx.query<{ sees: number; changes: number }>(sql`
    select count(*)::int as sees, (count(*) filter (where ${conditionOf(policies, 'update')}))::int as changes
      from ${rowsOf(table, COUNTED_MAX + 1)}`)
  return row ?? { sees: 0, changes: 0 }
}

async function compare(
  tx: Transaction,
  table: string,
  policies: readonly RowPolicy[],
  ids: readonly string[],
): Promise<readonly SeenRecord[]> {
  const passing = (command: 'select' | 'update') => {
    const named = policies
      .filter((policy) => policy.isPermissive && (policy.command === command || policy.command === 'all'))
      .map(({ name, using }) => sql`case when (${sql.trusted(using ?? 'true')}) then ${name}::text end`)
    return named.length === 0 ? sql`'{}'::text[]` : sql`array_remove(array[${sql.join(named)}], null)`
  }
  const of = sql.identifier(table)
  const seen = await tx.query<Omit<SeenRecord, 'sees'>>(sql`
    select id::text as id, ${conditionOf(policies, 'update')} as changes, ${passing('select')} as "seesBy", ${passing('update')} as "changesBy"
      from (select * from ${sql.identifier('public', table)} where id = any (${ids}::uuid[])) as ${of}`)
  const byId = new Map(seen.map((record) => [record.id, record]))
  return ids.map((id) => {
    const record = byId.get(id)
    return record ? { ...record, sees: true } : { id, sees: false, changes: false, seesBy: [], changesBy: [] }
  })
}

/** A policy that fails or takes too long is reported as unknown, and does not end the transaction. */
async function attempt<T>(tx: Transaction, body: () => Promise<T>): Promise<T | undefined> {
  await tx.execute(sql`savepoint one`)
  try {
    return await body()
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    await tx.execute(sql`rollback to savepoint one`)
    return undefined
  }
}
