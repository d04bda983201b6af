import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { TableInfo } from '../../../lib/data/tables.ts'

/** Local names of `holdfast.shares` and `holdfast.members`. */
export const SHARES_TABLE = 'hf_shares'
const MEMBERS_TABLE = 'hf_members'

/** Selects the workspaces that a user administers. Parameter: their account. */
export const ADMINISTERED = `select workspace_id as id from ${MEMBERS_TABLE}
  where user_id = ? and status = 'active' and role in ('owner', 'admin')`

/** A guest, and whether a record is shared with them. */
export interface GuestRow {
  readonly workspace_id: string
  readonly user_id: string
  readonly name: string
  readonly status: string
  /** ISO 8601; `null`: no end. */
  readonly expires_at: string | null
  /** Id of the share; `null`: none. */
  readonly share: string | null
  /** 0 or 1 */
  readonly may_change: number | null
}

/** Selects the guests of the workspaces that a user administers, by name. Parameters: table, record and the user's account. */
export const GUESTS = `
  select m.workspace_id, m.user_id, m.name, m.status, m.expires_at, s.id as share, s.may_change
    from ${MEMBERS_TABLE} m
    left join ${SHARES_TABLE} s on s.workspace_id = m.workspace_id and s.user_id = m.user_id and s.table_name = ? and s.record_id = ?
   where m.role = 'guest' and m.workspace_id in (${ADMINISTERED})
   order by m.name collate nocase, m.id`

/** Whether this user may share a table's records with guests: they administer a workspace, and a policy lets guests see records shared with them. */
export function useMayShare({ descriptor }: TableInfo): boolean {
  const { userId } = useLocalDatabase()
  const isKept = useSchema().tables.some(({ name, can }) => name === SHARES_TABLE && can.insert)
  const isAsked = isKept && descriptor.guests !== undefined
  const { rows } = useRecords<{ readonly id: string }>(isAsked ? ADMINISTERED : '', [userId])
  return rows.length > 0
}
