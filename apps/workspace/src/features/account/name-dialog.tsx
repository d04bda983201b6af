import { type JSX, type ReactNode, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { securityMessages as words } from '../../messages/account-security.ts'
import { FailureDetails } from './failure-text.tsx'
import { useAction } from './use-action.ts'

/** Asks for the name of an app, a key or a passkey. */
export function NameDialog({
  title,
  submitLabel,
  initialName,
  maxLength = 100,
  lead,
  note,
  onSubmit,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly submitLabel: string
  readonly initialName: string
  readonly maxLength?: number
  readonly lead?: string
  /** Rendered below the field. */
  readonly note?: ReactNode
  /** Thrown errors are shown below the field. */
  readonly onSubmit: (name: string) => Promise<void>
  readonly onDone?: (name: string) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const action = useAction()
  const [text, setText] = useState(initialName)
  const [isMissing, setMissing] = useState(false)
  const submit = async (): Promise<void> => {
    const name = text.trim()
    setMissing(name === '')
    if (name !== '' && (await action.run(() => onSubmit(name)))) await onDone?.(name)
  }
  const failure = action.failure ? <FailureDetails failure={action.failure} /> : undefined
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      isPending={action.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {lead === undefined ? null : <p>{lead}</p>}
      <TextField
        label={words.name}
        description={words.nameHelp}
        maxLength={maxLength}
        autoFocus
        value={text}
        onChange={setText}
        errorMessage={isMissing ? words.nameMissing : failure}
      />
      {note}
    </FormDialog>
  )
}
