import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

const schema = v.object({
  userId: v.string(),
  /** `recovery`: forgotten; `invite`: never had one. */
  reason: v.picklist(['recovery', 'invite']),
})

/** A user who was signed in to choose a password and has not yet. */
export type PendingPassword = v.InferOutput<typeof schema>

const stored = localValue('hf-pending-password', schema)

/** Persists over reloads and tabs: until it is chosen or abandoned, account screens lead to the form. */
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

/** Another tab may have set the password. */
export function rereadPendingPassword(): void {
  usePendingPassword.setState({ pending: stored.read() })
}
