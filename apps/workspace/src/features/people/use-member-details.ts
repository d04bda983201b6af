import { useEffect, useState } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { callFunction } from '../../lib/data/call-function.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'

export interface MemberDetails {
  readonly user_id: string
  readonly email: string | null
  readonly last_seen_at: string | null
}

/**
 * Fetches the addresses and last activity of members' accounts. Only the server has them, only admins get them, and they are never stored on devices.
 *
 * @param members - number of members; a change triggers a reread
 */
export function useMemberDetails(
  workspace: string,
  members: number,
  isAdmin: boolean,
): { readonly details: ReadonlyMap<string, MemberDetails>; readonly hasFailed: boolean } {
  const backend = useBackend()
  const isOnline = useOnline()
  const [details, setDetails] = useState<ReadonlyMap<string, MemberDetails>>(new Map())
  const [hasFailed, setHasFailed] = useState(false)
  // The network is outside React.
  useEffect(() => {
    if (!isAdmin || !isOnline || members === 0) return
    let isOver = false
    callFunction<readonly MemberDetails[]>(backend, 'member_details', { workspace }).then(
      (rows) => {
        if (isOver) return
        setDetails(new Map(rows.map((row) => [row.user_id, row])))
        setHasFailed(false)
      },
      (error: unknown) => {
        if (isOver) return
        console.info('Addresses and last uses of members were not read:', error)
        setHasFailed(true)
      },
    )
    return () => {
      isOver = true
    }
  }, [backend, workspace, members, isAdmin, isOnline])
  return { details, hasFailed: hasFailed && isOnline }
}
