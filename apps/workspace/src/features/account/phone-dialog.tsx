import type { User } from '@supabase/supabase-js'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { CodeField } from './code-field.tsx'
import { FailureDetails } from './failure-text.tsx'
import { FormDialog } from './form-dialog.tsx'
import { digitsOf } from './phone-number.ts'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** A new number, then the code that came to it. */
export function PhoneDialog({
  user,
  sentTo: sentAtStart,
  onClose,
}: {
  readonly user: User
  /** A code is on its way to this number already. */
  readonly sentTo: string | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase, reload } = useAccount()
  const action = useAction()
  const again = useAction()
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const [sentTo, setSentTo] = useState(sentAtStart)
  const [problem, setProblem] = useState<string>()
  const old = user.phone ?? ''

  const finish = async (): Promise<void> => {
    await reload()
    showToast({ text: words.phoneDone })
    onClose()
  }
  const sendTo = async (number: string): Promise<void> => {
    const { user: changed } = unwrap(await supabase.auth.updateUser({ phone: number }))
    // Where codes are switched off the number counts at once.
    if (changed?.phone === digitsOf(number)) return finish()
    setSentTo(digitsOf(number))
    await reload()
  }
  const submitNumber = async (): Promise<void> => {
    const digits = digitsOf(phone)
    const wrong = digits === undefined ? words.phoneMissing : digits === old ? words.phoneSame : undefined
    setProblem(wrong)
    if (wrong === undefined && digits !== undefined) await action.run(() => sendTo(`+${digits}`))
  }
  const submitCode = async (): Promise<void> => {
    setProblem(code === '' ? accountMessages.codeMissing : undefined)
    if (code === '' || sentTo === undefined) return
    await action.run(async () => {
      unwrap(await supabase.auth.verifyOtp({ phone: sentTo, token: code, type: 'phone_change' }))
      await finish()
    })
  }

  if (sentTo === undefined) {
    return (
      <FormDialog
        title={old === '' ? words.addPhone : words.changePhone}
        submitLabel={words.sendCode}
        isPending={action.isPending}
        onSubmit={submitNumber}
        onClose={onClose}
      >
        <TextField
          label={words.newPhone}
          type="tel"
          name="phone"
          autoComplete="tel"
          inputMode="tel"
          autoFocus
          value={phone}
          onChange={setPhone}
          description={words.newPhoneHelp}
          errorMessage={problem ?? (action.failure ? <FailureDetails failure={action.failure} /> : undefined)}
        />
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={words.phoneCodeTitle}
      submitLabel={accountMessages.save}
      isPending={action.isPending}
      onSubmit={submitCode}
      onClose={onClose}
    >
      <CodeField
        description={words.phoneCodeLead(`+${sentTo}`)}
        digits={config.account.codeDigits.phone}
        value={code}
        onChange={setCode}
        failure={
          problem === undefined ? (action.failure ?? again.failure) : { code: 'HF-CODE-MISSING', message: problem }
        }
      />
      <div>
        <Button
          size="sm"
          isPending={again.isPending}
          onPress={() => {
            void again.run(async () => {
              await sendTo(`+${sentTo}`)
              showToast({ text: accountMessages.codeSent })
            })
          }}
        >
          {accountMessages.codeAgain}
        </Button>
      </div>
    </FormDialog>
  )
}
