import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

const schema = v.object({
  userId: v.string(),
  /** `recovery`: the person has forgotten the old one; `invite`: they never had one. */
  reason: v.picklist(['recovery', 'invite']),
})

/** A person who was let in to choose a password, and has not done so yet. */
export type PendingPassword = v.InferOutput<typeof schema>

const stored = localValue('hf-pending-password', schema)

/** Kept over a reload and for other tabs: until it is chosen or given up, the screens of the account lead to that form. */
export const usePendingPassword = create<{ readonly pending: PendingPassword | undefined }>(() => ({
  pending: stored.read(),
}))

export function setPendingPassword(pending: PendingPassword): void {
  stored.write(pending)
  usePendingPassword.setState({ pending })
}

export function clearPendingPassword(): void {
  stored.clear()
  usePendingPassword.setState({ pending: undefined })
}

/** Another tab may have chosen it meanwhile. */
export function rereadPendingPassword(): void {
  usePendingPassword.setState({ pending: stored.read() })
}
