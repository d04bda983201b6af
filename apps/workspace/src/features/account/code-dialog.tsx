import { type JSX, type ReactNode, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { accountMessages } from '../../messages/account.ts'
import type { AccountFailure } from './account-failure.ts'
import { CodeField } from './code-field.tsx'
import { useAction } from './use-action.ts'

/** Asks for a code of some digits, and has it checked. A wrong one is cleared. */
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
  /** Where the code comes from. */
  readonly description: string
  /** Above the field. */
  readonly lead?: ReactNode
  /** Of something else in the dialog. */
  readonly failure?: AccountFailure | undefined
  readonly onSubmit: (code: string) => Promise<void>
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
  /** Below the field. */
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
