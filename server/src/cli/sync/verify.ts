import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { delay, HoldfastError } from '@holdfast/foundation'
import type { UserRow } from '@holdfast/sync'
import type { Connection } from './connection.ts'
import { compareSums } from './compare-sums.ts'
import { rebuildDevice, type RebuiltDevice } from './rebuild-device.ts'

/** A row that differs between device and Postgres. */
export interface Difference {
  readonly table: string
  readonly id: string
  readonly kind: 'missing' | 'too much' | 'different'
  /** For `different`: both values per column. */
  readonly columns?: Readonly<Record<string, { readonly device: unknown; readonly postgres: unknown }>>
}

export interface Verification {
  readonly user: { readonly id: string; readonly role: string }
  readonly equal: boolean
  /** Number of the device's rows by table. */
  readonly tables: Readonly<Record<string, number>>
  readonly buckets: number
  readonly operations: number
  readonly differences: readonly Difference[]
  /** Tables on which SELECT fails for this user, so the device has no rows of them. */
  readonly failing: Readonly<Record<string, string>>
  /** Stream faults. */
  readonly faults: readonly string[]
}

type Rows = ReadonlyMap<string, string>

/** Comparisons that must confirm a difference, to exclude changing rows. */
const LOOKS = 3
const PAUSE_MS = 400

/**
 * Rebuilds a user's device from the stream and compares it with Postgres: by checksums of key ranges, like devices, then row by row. During changes, counts
 * only rows that Postgres showed unchanged before and after, and only persistent differences.
 */
export async function verify(
  connection: Connection,
  user: string,
  tell: (line: string) => void,
): Promise<Verification> {
  const person = await connection.json<{ user_id: string; role: string; token: string }>('/sync/v1/token', {
    method: 'POST',
    body: { user },
  })
  let toldAt = Date.now()
  await using device = await rebuildDevice({
    url: connection.url,
    token: person.token,
    clientId: `verify-${randomUUID()}`,
    onProgress(operations) {
      if (Date.now() - toldAt < 2_000) return
      toldAt = Date.now()
      tell(`${operations} operations`)
    },
  })
  const whole = await compareSums({ url: connection.url, token: person.token }, () => device.settle())
  if (whole) {
    return {
      user: { id: person.user_id, role: person.role },
      equal: device.faults.length === 0,
      tables: countTables(whole.rows, whole.tables),
      buckets: device.buckets,
      operations: device.operations,
      differences: [],
      failing: {},
      faults: device.faults,
    }
  }
  let differing: ReadonlySet<string> | undefined
  let last = await look(connection, person.user_id, device)
  for (let count = 1; count < LOOKS; count++) {
    differing = new Set(last.keys.filter((key) => !differing || differing.has(key)))
    if (differing.size === 0) break
    tell(`${differing.size} rows differ; looking again`)
    await delay(PAUSE_MS)
    last = await look(connection, person.user_id, device)
  }
  const stay = last.keys.filter((key) => !differing || differing.has(key))
  const differences = stay.map((key) => describe(key, last.device.get(key), last.postgres.get(key)))
  return {
    user: { id: person.user_id, role: person.role },
    equal: differences.length === 0 && device.faults.length === 0,
    tables: countTables(last.device, last.tables),
    buckets: device.buckets,
    operations: device.operations,
    differences,
    failing: last.failing,
    faults: device.faults,
  }
}

interface Look {
  /** `table/id` of differing rows that were not changing. */
  readonly keys: readonly string[]
  readonly device: Rows
  readonly postgres: Rows
  readonly tables: readonly string[]
  readonly failing: Readonly<Record<string, string>>
}

async function look(connection: Connection, userId: string, device: RebuiltDevice): Promise<Look> {
  const before = await readVisible(connection, userId)
  const rows = await device.settle()
  const first = differingKeys(rows, before.rows, before.narrowed)
  if (first.length === 0) return { keys: [], device: rows, postgres: before.rows, ...before }
  const after = await readVisible(connection, userId)
  const keys = first.filter((key) => before.rows.get(key) === after.rows.get(key))
  return { keys, device: rows, postgres: after.rows, tables: after.tables, failing: after.failing }
}

/** @param narrowed - tables synced only through streams, of which rows may be missing */
function differingKeys(device: Rows, postgres: Rows, narrowed: ReadonlySet<string>): readonly string[] {
  const mayMiss = (key: string): boolean => !device.has(key) && narrowed.has(key.slice(0, key.indexOf('/')))
  return [
    ...[...postgres].filter(([key, data]) => device.get(key) !== data && !mayMiss(key)).map(([key]) => key),
    ...[...device.keys()].filter((key) => !postgres.has(key)),
  ]
}

async function readVisible(
  connection: Connection,
  userId: string,
): Promise<{
  readonly rows: Rows
  readonly tables: readonly string[]
  readonly narrowed: ReadonlySet<string>
  readonly failing: Readonly<Record<string, string>>
}> {
  const response = await connection.request(`/sync/v1/rows?user=${encodeURIComponent(userId)}`)
  const rows = new Map<string, string>()
  const failing: Record<string, string> = {}
  for await (const text of createInterface({ input: Readable.fromWeb(response.body as never) })) {
    const line = JSON.parse(text) as
      | UserRow
      | { readonly complete: readonly string[]; readonly narrowed: readonly string[] }
    if ('complete' in line) return { rows, tables: line.complete, narrowed: new Set(line.narrowed), failing }
    if ('fails' in line) failing[line.table] = line.fails
    else rows.set(`${line.table}/${line.id}`, line.data)
  }
  throw new HoldfastError('rows_incomplete', 500, 'The server broke off while it told the rows of this person.', {
    hint: 'Its log has more. Try again.',
  })
}

function describe(key: string, device: string | undefined, postgres: string | undefined): Difference {
  const slash = key.indexOf('/')
  const [table, id] = [key.slice(0, slash), key.slice(slash + 1)]
  if (device === undefined) return { table, id, kind: 'missing' }
  if (postgres === undefined) return { table, id, kind: 'too much' }
  const [mine, theirs] = [JSON.parse(device), JSON.parse(postgres)] as Record<string, unknown>[]
  const names = [...new Set([...Object.keys(theirs ?? {}), ...Object.keys(mine ?? {})])]
  const columns = names.flatMap((name) => {
    const [left, right] = [mine?.[name], theirs?.[name]]
    return left === right ? [] : [[name, { device: left ?? null, postgres: right ?? null }] as const]
  })
  return { table, id, kind: 'different', columns: Object.fromEntries(columns) }
}

function countTables(device: Rows, tables: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map(tables.map((name) => [name, 0]))
  for (const key of device.keys()) {
    const table = key.slice(0, key.indexOf('/'))
    counts.set(table, (counts.get(table) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)))
}

const TOLD_MAX = 20

/** Human-readable. */
export function renderVerification(user: string, result: Verification): string {
  const total = Object.values(result.tables).reduce((sum, count) => sum + count, 0)
  const width = Math.max(...Object.keys(result.tables).map((name) => name.length), 0)
  const lines = [
    `${user} (${result.user.id}, ${result.user.role})`,
    `${total} rows in ${result.buckets} buckets, ${result.operations} operations`,
    '',
    ...Object.entries(result.tables).map(([name, count]) => {
      const wrong = result.differences.filter((one) => one.table === name).length
      return `  ${name.padEnd(width)}  ${String(count).padStart(8)}${wrong > 0 ? `  ${wrong} DIFFERENT` : ''}`
    }),
    '',
    ...Object.entries(result.failing).map(([name, reason]) => `  ${name}: selecting fails for this person: ${reason}`),
    ...result.faults.map((fault) => `  FAULT: ${fault}`),
    ...result.differences.slice(0, TOLD_MAX).map((one) => `  ${renderDifference(one)}`),
    ...(result.differences.length > TOLD_MAX
      ? [`  and ${result.differences.length - TOLD_MAX} more (--json has all)`]
      : []),
    result.equal ? 'Equal: the device has exactly what Postgres shows this person.' : 'NOT EQUAL',
  ]
  return `${lines.join('\n')}\n`
}

function renderDifference({ table, id, kind, columns }: Difference): string {
  if (kind === 'missing') return `${table} ${id}: MISSING on the device`
  if (kind === 'too much') return `${table} ${id}: TOO MUCH, Postgres does not show it`
  const parts = Object.entries(columns ?? {}).map(
    ([name, { device, postgres }]) => `${name}: device ${JSON.stringify(device)}, Postgres ${JSON.stringify(postgres)}`,
  )
  return `${table} ${id}: DIFFERENT, ${parts.join('; ') || 'written differently'}`
}
