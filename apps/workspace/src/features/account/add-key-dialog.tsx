import { type JSX, useRef } from 'react'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import type { AddFactorDialogProps } from './add-app-dialog.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { NameDialog } from './name-dialog.tsx'
import { unwrap } from './unwrap.ts'

/** Asks for a name, then lets the browser ask for the key. */
export function AddKeyDialog({ taken, onAdded, onClose }: AddFactorDialogProps): JSX.Element {
  const { supabase } = useAccount()
  const waiting = useRef<AbortController>(undefined)
  const register = async (friendlyName: string): Promise<void> => {
    try {
      waiting.current = new AbortController()
      const { signal } = waiting.current
      await forgetAbandoned(supabase, 'webauthn')
      unwrap(await supabase.auth.mfa.webauthn.register({ friendlyName, webauthn: { signal } }))
    } catch (error) {
      await forgetAbandoned(supabase, 'webauthn').catch(() => undefined) // the failure itself is reported; the next attempt removes the factor
      throw error
    }
  }
  return (
    <NameDialog
      title={words.keyTitle}
      submitLabel={words.askForKey}
      initialName={freeName(words.factorKinds.webauthn, taken)}
      lead={words.keyLead}
      note={<p className="text-small text-muted">{words.otherDevices}</p>}
      onSubmit={register}
      onDone={onAdded}
      onClose={() => {
        // Stops the browser from asking for a key that is no longer wanted.
        waiting.current?.abort()
        onClose()
      }}
    />
  )
}
