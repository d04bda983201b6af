import type { ListedUpload, OperationVerdict, RejectionGroup } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import type { Device } from '../checkpoints/write-checkpoints.ts'

interface Row {
  readonly position: string
  readonly status: 'applied' | 'refused'
  readonly verdicts: readonly OperationVerdict[]
  readonly at: string
}

type Problem = ListedUpload['problems'][number]

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

async function readNewest(
  pool: Pool,
  { userId, clientId }: Device,
  status: 'refused' | undefined,
  limit: number,
): Promise<readonly Row[]> {
  // Only UUIDs upload.
  if (!UUID.test(clientId)) return []
  return await pool.query<Row>(sql`
    select u."position"::text, u.status, u.verdicts, to_char(u.judged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
      from (select * from sync.uploads u
             where u.user_id = ${userId} and u.client_id = ${clientId}::uuid and u.status is not null
             order by u."position" desc limit ${limit}) u
     where ${status ?? null}::text is null or u.status = ${status ?? null}
     order by u."position" desc`)
}

/** Lists a device's last uploaded transactions, the newest first. */
export async function readUploads(pool: Pool, device: Device, limit: number): Promise<readonly ListedUpload[]> {
  const rows = await readNewest(pool, device, undefined, limit)
  return rows.map(({ position, status, verdicts, at }) => ({
    position: Number(position),
    status,
    at,
    operations: verdicts.length,
    problems: verdicts.filter(isProblem),
  }))
}

/** Groups the rejected changes among a device's last transactions by reason, most frequent first. */
export async function readRejections(pool: Pool, device: Device, limit: number): Promise<readonly RejectionGroup[]> {
  const groups = new Map<string, RejectionGroup>()
  for (const { verdicts, at } of await readNewest(pool, device, 'refused', limit)) {
    for (const problem of verdicts.filter(isProblem)) {
      const { table, reason } = reasonOf(problem)
      const key = JSON.stringify([table, reason])
      const before = groups.get(key)
      // The newest comes first.
      groups.set(
        key,
        before
          ? { ...before, count: before.count + 1 }
          : { table, reason, message: problem.message, count: 1, lastAt: at },
      )
    }
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count)
}

function isProblem(verdict: OperationVerdict): verdict is Problem {
  return verdict.status !== 'applied' && verdict.status !== 'not_reached'
}

function reasonOf(problem: Problem): { readonly table: string | null; readonly reason: string } {
  if (problem.status === 'no_row') return { table: null, reason: 'The row does not exist or is not visible' }
  if (problem.status === 'conflict') return { table: null, reason: 'Changed by another user meanwhile' }
  const { table = null, policies, constraint, sqlstate } = problem
  if (policies && policies.length > 0)
    return { table, reason: `Policy ${policies.map((one) => `"${one}"`).join(' or ')}` }
  return { table, reason: constraint === undefined ? `SQLSTATE ${sqlstate}` : `Constraint "${constraint}"` }
}
