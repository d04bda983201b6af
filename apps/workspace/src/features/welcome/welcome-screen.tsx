import type { JSX } from 'react'
import { useWelcomeKey } from '../../lib/auth/welcome-key.ts'
import { OwnerWelcome } from './owner-welcome.tsx'
import { SampleWelcome } from './sample-welcome.tsx'

/** Target of the link printed at startup: the sample, or the first workspace of a new server. */
export function WelcomeScreen(): JSX.Element {
  const isOwner = useWelcomeKey(({ ownerKey }) => ownerKey !== undefined)
  return isOwner ? <OwnerWelcome /> : <SampleWelcome />
}
