import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { JSX } from 'react'
import { momentOf } from '../lib/fields/dates.ts'
import { endedAccessMessages as words } from '../messages/shares.ts'
import { Notice } from './notice.tsx'

/** Why a former member has no workspace. `ended`: guest access expired; `suspended`: an admin suspended access. */
type EndedAccess = { readonly kind: 'ended'; readonly at: Date } | { readonly kind: 'suspended' }

const MEMBERS = 'hf_members'
const WORKSPACES = 'hf_workspaces'

/** Returns how the user lost access; `undefined` with access, or if they never had any. */
function useEndedAccess(): EndedAccess | undefined {
  const { userId } = useLocalDatabase()
  const { tables } = useSchema()
  const areKept = [MEMBERS, WORKSPACES].every((table) => tables.some(({ name }) => name === table))
  // Users without access still see their own row, but no workspace.
  const { rows } = useRecords<{ readonly status: string; readonly expires_at: string | null }>(
    areKept
      ? `select status, expires_at from ${MEMBERS}
          where user_id = ? and not exists (select 1 from ${WORKSPACES}) order by updated_at desc limit 1`
      : '',
    [userId],
  )
  const [mine] = rows
  if (mine === undefined) return undefined
  if (mine.status !== 'active') return { kind: 'suspended' }
  const at = mine.expires_at === null ? undefined : momentOf(mine.expires_at)
  return at !== undefined && isOver(at) ? { kind: 'ended', at } : undefined
}

function isOver(at: Date): boolean {
  return at <= new Date()
}

/** Tells a user that their access has ended, and when. */
export function EndedAccess(): JSX.Element | null {
  const access = useEndedAccess()
  if (!access) return null
  return (
    <Notice tone="warning" role="status" title={access.kind === 'ended' ? words.ended(access.at) : words.suspended}>
      {words.detail}
    </Notice>
  )
}
