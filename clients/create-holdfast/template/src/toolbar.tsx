import { describeSyncState, UnsentChanges } from '@holdfast/client'
import { useHoldfast, useSyncStatus } from '@holdfast/react'

export function Toolbar() {
  const { signOut } = useHoldfast()
  const status = useSyncStatus()

  async function leave() {
    try {
      await signOut('wipe')
    } catch (error) {
      if (!(error instanceof UnsentChanges)) throw error
      if (confirm('Some changes are only on this device. Sign out and delete them?'))
        await signOut('wipe', { discardUnsent: true })
    }
  }

  return (
    <header>
      <h1>Notes</h1>
      <output className={status.kind}>{describeSyncState(status)}</output>
      <button className="quiet" onClick={() => void leave()}>
        Sign out
      </button>
    </header>
  )
}
