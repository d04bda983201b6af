import { RECORD_BYTES_MAX, SHORT_VALUE_BYTES } from '../limits.ts'
import type { RoleAccess } from './role-access.ts'
import type { ChangeKind } from './subscription.ts'
import type { TableInfo } from './table-info.ts'

/** A change as delivered to a subscriber. */
export interface RenderedChange {
  readonly kind: ChangeKind
  readonly committedAtMs: number
  /** Size of its rows in the stream. */
  readonly bytes: number
  /** JSON of each column of the table; `undefined` if there is no such row. */
  readonly cells: readonly string[] | undefined
  readonly oldCells: readonly string[] | undefined
}

const UNAUTHORIZED = 'Error 401: Unauthorized'
const WITHOUT_KEY = 'Error 400: Bad Request, no primary key'
const TOO_LARGE = 'Error 413: Payload Too Large'

/**
 * Renders the event data as JSON text.
 *
 * @param select - the columns requested by the client
 */
export function renderChange(
  table: TableInfo,
  access: RoleAccess,
  select: readonly string[] | undefined,
  change: RenderedChange,
): string {
  const { kind } = change
  const head = {
    schema: table.schema,
    table: table.name,
    type: kind,
    commit_timestamp: new Date(change.committedAtMs).toISOString(),
  }
  const refusal = refusalOf(table, access, kind)
  if (refusal !== undefined) return JSON.stringify({ ...head, columns: [], record: {}, errors: [refusal] })
  const isTold = (name: string): boolean =>
    access.selectable.has(name) && (select === undefined || select.includes(name) || table.key.has(name))
  const isTooLarge = change.bytes > RECORD_BYTES_MAX
  const columns = table.columns.filter(({ name }) => isTold(name))
  const record = (cells: readonly string[], isShown: (name: string) => boolean): string => {
    const members = table.columns.flatMap(({ name }, index) => {
      const cell = cells[index] ?? 'null'
      if (!isTold(name) || !isShown(name)) return []
      if (isTooLarge && Buffer.byteLength(cell) > SHORT_VALUE_BYTES) return []
      return [`${JSON.stringify(name)}:${cell}`]
    })
    return `{${members.join(',')}}`
  }
  const parts = [
    JSON.stringify({ ...head, columns: columns.map(({ name, type }) => ({ name, type })) }).slice(1, -1),
    `"errors":${isTooLarge ? JSON.stringify([TOO_LARGE]) : 'null'}`,
  ]
  if (change.cells) parts.push(`"record":${record(change.cells, () => true)}`)
  if (change.oldCells) parts.push(`"old_record":${record(change.oldCells, (name) => isOldShown(table, name))}`)
  return `{${parts.join(',')}}`
}

function refusalOf(table: TableInfo, { selectable }: RoleAccess, kind: ChangeKind): string | undefined {
  if (kind !== 'DELETE' && table.key.size === 0) return WITHOUT_KEY
  for (const name of table.key) if (!selectable.has(name)) return UNAUTHORIZED
  return undefined
}

/**
 * Whether an old row is shown. The stream has complete old rows regardless of replica identity. Policies judge only the current row, so under policies the old
 * row is reduced to its key: the subscriber may not have been allowed to see it. Supabase documents the same for UPDATE and DELETE.
 */
function isOldShown(table: TableInfo, name: string): boolean {
  if (table.hasPolicies) return table.key.has(name)
  return table.identity === undefined || table.identity.has(name)
}
