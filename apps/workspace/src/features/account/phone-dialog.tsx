import type { User } from '@supabase/supabase-js'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { FailureDetails } from './failure-text.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { digitsOf } from './phone-number.ts'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** Sends a code to a number. If codes are switched off, the number applies at once. */
type SendTo = (number: string) => Promise<void>

/** Asks for a new number, then for the code sent to it. */
export function PhoneDialog({
  user,
  sentTo: sentAtStart,
  onClose,
}: {
  readonly user: User
  /** Number to which a code was already sent. */
  readonly sentTo: string | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { supabase, reload } = useAccount()
  const [sentTo, setSentTo] = useState(sentAtStart)

  const finish = async (): Promise<void> => {
    await reload()
    showToast({ text: words.phoneDone })
    onClose()
  }
  const sendTo: SendTo = async (number) => {
    const { user: changed } = unwrap(await supabase.auth.updateUser({ phone: number }))
    if (changed?.phone === digitsOf(number)) return finish()
    setSentTo(digitsOf(number))
    await reload()
  }
  if (sentTo === undefined) return <NumberStep old={user.phone ?? ''} onSend={sendTo} onClose={onClose} />
  return <CodeStep sentTo={sentTo} onSend={sendTo} onVerified={finish} onClose={onClose} />
}

function NumberStep({
  old,
  onSend,
  onClose,
}: {
  /** The current number without its plus; empty if there is none. */
  readonly old: string
  readonly onSend: SendTo
  readonly onClose: () => void
}): JSX.Element {
  const action = useAction()
  const [phone, setPhone] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = async (): Promise<void> => {
    const digits = digitsOf(phone)
    const wrong = digits === undefined ? words.phoneMissing : digits === old ? words.phoneSame : undefined
    setProblem(wrong)
    if (wrong === undefined && digits !== undefined) await action.run(() => onSend(`+${digits}`))
  }
  return (
    <FormDialog
      title={old === '' ? words.addPhone : words.changePhone}
      submitLabel={words.sendCode}
      isPending={action.isPending}
      onSubmit={submit}
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

function CodeStep({
  sentTo,
  onSend,
  onVerified,
  onClose,
}: {
  readonly sentTo: string
  readonly onSend: SendTo
  readonly onVerified: () => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const again = useAction()
  const sendAgain = (): Promise<boolean> =>
    again.run(async () => {
      await onSend(`+${sentTo}`)
      showToast({ text: accountMessages.codeSent })
    })
  return (
    <CodeDialog
      title={words.phoneCodeTitle}
      submitLabel={accountMessages.save}
      digits={config.account.codeDigits.phone}
      description={words.phoneCodeLead(`+${sentTo}`)}
      failure={again.failure}
      onSubmit={async (code) => {
        unwrap(await supabase.auth.verifyOtp({ phone: sentTo, token: code, type: 'phone_change' }))
      }}
      onDone={onVerified}
      onClose={onClose}
    >
      <div>
        <Button size="sm" isPending={again.isPending} onPress={() => void sendAgain()}>
          {accountMessages.codeAgain}
        </Button>
      </div>
    </CodeDialog>
  )
}
