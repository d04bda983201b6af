import { type JSX, useRef, useState } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { FailureDetails } from './failure-text.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** A name, then the browser asks for the key. */
export function AddKeyDialog({
  taken,
  onAdded,
  onClose,
}: {
  readonly taken: readonly string[]
  readonly onAdded: (name: string) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  const [name, setName] = useState(() => freeName(words.factorKinds.webauthn, taken))
  const [problem, setProblem] = useState<string>()
  const waiting = useRef<AbortController>(undefined)

  const submit = async (): Promise<void> => {
    const friendlyName = name.trim()
    setProblem(friendlyName === '' ? words.nameMissing : undefined)
    if (friendlyName === '') return
    const isAdded = await action.run(async () => {
      try {
        waiting.current = new AbortController()
        const { signal } = waiting.current
        await forgetAbandoned(supabase, 'webauthn')
        unwrap(await supabase.auth.mfa.webauthn.register({ friendlyName, webauthn: { signal } }))
      } catch (error) {
        await forgetAbandoned(supabase, 'webauthn').catch(() => undefined) // what failed is told; the next try removes it
        throw error
      }
    })
    if (isAdded) await onAdded(friendlyName)
  }
  return (
    <FormDialog
      title={words.keyTitle}
      submitLabel={words.askForKey}
      isPending={action.isPending}
      onSubmit={submit}
      onClose={() => {
        // The browser must not go on asking for a key that is no longer wanted.
        waiting.current?.abort()
        onClose()
      }}
    >
      <p>{words.keyLead}</p>
      <TextField
        label={words.name}
        description={words.nameHelp}
        maxLength={100}
        autoFocus
        value={name}
        onChange={setName}
        errorMessage={problem ?? (action.failure ? <FailureDetails failure={action.failure} /> : undefined)}
      />
      <p className="text-small text-muted">{words.otherDevices}</p>
    </FormDialog>
  )
}
