import { type JSX, type ReactNode, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { accountMessages } from '../../messages/account.ts'
import type { AccountFailure } from './account-failure.ts'
import { CodeField } from './code-field.tsx'
import { useAction } from './use-action.ts'

/** Asks for a numeric code and verifies it. Clears a wrong code. */
export function CodeDialog({
  title,
  submitLabel,
  digits,
  description,
  lead,
  failure,
  onSubmit,
  onDone,
  onClose,
  children,
}: {
  readonly title: string
  readonly submitLabel: string
  readonly digits: number
  /** Says where the code comes from. */
  readonly description: string
  /** Rendered above the field. */
  readonly lead?: ReactNode
  /** A failure of another action in the dialog. */
  readonly failure?: AccountFailure | undefined
  readonly onSubmit: (code: string) => Promise<void>
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
  /** Rendered below the field. */
  readonly children: ReactNode
}): JSX.Element {
  const action = useAction()
  const [code, setCode] = useState('')
  const [isShort, setShort] = useState(false)
  const submit = async (): Promise<void> => {
    setShort(code.length < digits)
    if (code.length < digits) return
    if (await action.run(() => onSubmit(code))) await onDone()
    else setCode('')
  }
  const short = { code: 'HF-CODE-MISSING', message: accountMessages.codeMissing }
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      isPending={action.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {lead}
      <CodeField
        value={code}
        digits={digits}
        onChange={setCode}
        description={description}
        failure={isShort ? short : (action.failure ?? failure)}
      />
      {children}
    </FormDialog>
  )
}
