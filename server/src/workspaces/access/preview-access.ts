import { runAs, sql, type Connections, type Session, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { COUNTED_MAX, MEMBERS_MAX, REQUEST_MS, STATEMENT_MS } from './limits.ts'
import { conditionOf, readRowPolicies, rowsOf, type RowPolicy } from './policies.ts'

export interface AccessPreview {
  readonly sql: string
  /** Records that were looked at. */
  readonly records: number
  /** Whether the table has more records or the workspace more members. */
  readonly isPartial: boolean
  /** Members below admin. Without the numbers before if a developer wrote the policies, which only they can read exactly. */
  readonly members: readonly MemberPreview[]
}

interface Counts {
  readonly sees: number
  readonly gains: number | null
  readonly loses: number | null
  readonly changes: number
  readonly changesBefore: number | null
}

export interface MemberPreview extends Counts {
  readonly id: string
  readonly name: string
  readonly role: string
}

/**
 * Counts what members would see and change by new rules, without changing or locking anything: the conditions of the rules read only the record and the claims, so
 * they are evaluated with the claims of each member.
 *
 * @param caller - an owner or admin of the workspace
 * @throws errors of `holdfast.access_sql`, with its hints
 */
export async function previewAccess(
  { connections, project }: { readonly connections: Connections; readonly project: Connections },
  caller: Session,
  { workspace, table, rules }: { readonly workspace: string; readonly table: string; readonly rules: unknown },
): Promise<AccessPreview> {
  const given = sql`${JSON.stringify(rules)}::jsonb`
  const settings = { statement_timeout: `${STATEMENT_MS}ms` }
  const [checked] = await runAs(connections, { ...caller, settings }, (tx) =>
    tx.query<{ text: string; kind: string }>(sql`
      select holdfast.access_sql(${workspace}, ${table}, ${given}) as text, holdfast.access_of(${workspace}, ${table}) ->> 'kind' as kind`),
  )
  return project.transaction(async (tx) => {
    await tx.execute(
      sql`select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', ${settings.statement_timeout}, true)`,
    )
    const before = checked?.kind === 'rules' ? await readRowPolicies(tx, [table]) : undefined
    const after = await newPolicies(tx, { workspace, table, given })
    const members = await tx.query<{ id: string; userId: string; name: string; role: string }>(sql`
      select id, user_id as "userId", name, role from holdfast.members
       where workspace_id = ${workspace} and status = 'active' and role < 'admin' order by role desc, name, id limit ${MEMBERS_MAX + 1}`)
    const [size] = await tx.query<{ records: number }>(
      sql`select count(*)::int as records from ${rowsOf(table, COUNTED_MAX + 1)}`,
    )
    const records = Math.min(size?.records ?? 0, COUNTED_MAX)
    const counted: MemberPreview[] = []
    const endMs = performance.now() + REQUEST_MS
    for (const { userId, ...member } of members.slice(0, MEMBERS_MAX)) {
      if (performance.now() > endMs) break
      const claims = JSON.stringify({ role: 'authenticated', sub: userId })
      await tx.execute(sql`select set_config('request.jwt.claims', ${claims}, true)`)
      counted.push({ ...member, ...(await count(tx, table, before, after)) })
    }
    const isPartial = counted.length < members.length || (size?.records ?? 0) > COUNTED_MAX
    return { sql: checked?.text ?? '', records, isPartial, members: counted }
  })
}

function newPolicies(
  tx: Transaction,
  { workspace, table, given }: { readonly workspace: string; readonly table: string; readonly given: SqlFragment },
): Promise<readonly RowPolicy[]> {
  return tx.query<RowPolicy>(sql`
    select ${table}::text as table, p.name, p.command, true as "isPermissive", p.before_sql as using, p.words
      from holdfast.access_policies(${workspace}, ${table}, ${given}, holdfast.access_columns(format('public.%I', ${table}::text)::regclass)) p
     where p.command in ('select', 'update')`)
}

async function count(
  tx: Transaction,
  table: string,
  before: readonly RowPolicy[] | undefined,
  after: readonly RowPolicy[],
): Promise<Counts> {
  const flags = (policies: readonly RowPolicy[]): readonly [SqlFragment, SqlFragment] => {
    const sees = conditionOf(policies, 'select')
    return [sees, sql`(${sees}) and (${conditionOf(policies, 'update')})`]
  }
  const [seesNow, changesNow] = before ? flags(before) : [sql`null::boolean`, sql`null::boolean`]
  const [sees, changes] = flags(after)
  const [row] = await tx.query<Counts>(sql`
    select count(*) filter (where v.sees)::int as sees, count(*) filter (where v.changes)::int as changes,
           case when ${before !== undefined} then count(*) filter (where v.sees and not v.sees_now)::int end as gains,
           case when ${before !== undefined} then count(*) filter (where v.sees_now and not v.sees)::int end as loses,
           case when ${before !== undefined} then count(*) filter (where v.changes_now)::int end as "changesBefore"
      from (select ${sees} as sees, ${changes} as changes, ${seesNow} as sees_now, ${changesNow} as changes_now from ${rowsOf(table, COUNTED_MAX)}) v`)
  return row ?? { sees: 0, gains: 0, loses: 0, changes: 0, changesBefore: 0 }
}
