import { type JSX, useState } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { CodeField } from './code-field.tsx'
import { FailureText } from './failure-text.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { FormDialog } from './form-dialog.tsx'
import { digitsOf } from './phone-number.ts'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

interface Challenged {
  readonly factorId: string
  readonly challengeId: string
  readonly phone: string
}

/** Name and number, then the code that came to it. */
export function AddPhoneFactorDialog({
  taken,
  onAdded,
  onClose,
}: {
  readonly taken: readonly string[]
  readonly onAdded: (name: string) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const action = useAction()
  const [name, setName] = useState(() => freeName(words.factorKinds.phone, taken))
  const [phone, setPhone] = useState('')
  const [challenged, setChallenged] = useState<Challenged>()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<{ readonly name?: string; readonly phone?: string; readonly code?: string }>(
    {},
  )

  const begin = async (): Promise<void> => {
    const digits = digitsOf(phone)
    setProblem({
      ...(name.trim() === '' ? { name: words.nameMissing } : {}),
      ...(digits === undefined ? { phone: words.phoneMissing } : {}),
    })
    if (name.trim() === '' || digits === undefined) return
    await action.run(async () => {
      await forgetAbandoned(supabase, 'phone')
      const { id: factorId } = unwrap(
        await supabase.auth.mfa.enroll({ factorType: 'phone', friendlyName: name.trim(), phone: `+${digits}` }),
      )
      try {
        const { id: challengeId } = unwrap(await supabase.auth.mfa.challenge({ factorId, channel: 'sms' }))
        setChallenged({ factorId, challengeId, phone: `+${digits}` })
      } catch (error) {
        // Else its name would be taken at the next try.
        await supabase.auth.mfa.unenroll({ factorId })
        throw error
      }
    })
  }
  const finish = async ({ factorId, challengeId }: Challenged): Promise<void> => {
    setProblem(code === '' ? { code: accountMessages.codeMissing } : {})
    if (code === '') return
    const isRight = await action.run(async () => {
      unwrap(await supabase.auth.mfa.verify({ factorId, challengeId, code }))
    })
    if (isRight) await onAdded(name.trim())
    else setCode('')
  }
  const cancel = (): void => {
    if (challenged) void supabase.auth.mfa.unenroll({ factorId: challenged.factorId })
    onClose()
  }

  if (challenged === undefined) {
    return (
      <FormDialog
        title={words.phoneTitle}
        submitLabel={words.sendCode}
        isPending={action.isPending}
        onSubmit={begin}
        onClose={cancel}
      >
        <TextField
          label={words.name}
          description={words.nameHelp}
          maxLength={100}
          value={name}
          onChange={setName}
          errorMessage={problem.name}
        />
        <TextField
          label={words.phoneNumber}
          type="tel"
          name="phone"
          autoComplete="tel"
          inputMode="tel"
          autoFocus
          description={words.phoneHelp}
          value={phone}
          onChange={setPhone}
          errorMessage={problem.phone}
        />
        <FailureText failure={action.failure} />
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={words.phoneTitle}
      submitLabel={words.confirm}
      isPending={action.isPending}
      onSubmit={() => finish(challenged)}
      onClose={cancel}
    >
      <CodeField
        value={code}
        digits={config.account.codeDigits.phoneFactor}
        onChange={setCode}
        description={words.phoneSent(challenged.phone)}
        failure={problem.code === undefined ? action.failure : { code: 'HF-CODE-MISSING', message: problem.code }}
      />
      <p className="text-small text-muted">{words.otherDevices}</p>
    </FormDialog>
  )
}
