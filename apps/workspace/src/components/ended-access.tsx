import type { JSX } from 'react'
import { useEndedAccess } from '../lib/records/use-ended-access.ts'
import { endedAccessMessages as words } from '../messages/shares.ts'
import { Notice } from './notice.tsx'

/** Tells a person whose access to the workspace is over that it is, and since when. */
export function EndedAccess(): JSX.Element | null {
  const access = useEndedAccess()
  if (!access) return null
  return (
    <Notice tone="warning" role="status" title={access.kind === 'ended' ? words.ended(access.at) : words.suspended}>
      {words.detail}
    </Notice>
  )
}
