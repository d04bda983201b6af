import { type JSX, useState } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import type { AddFactorDialogProps } from './add-app-dialog.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { FailureText } from './failure-text.tsx'
import { freeName } from './factors.ts'
import { forgetAbandoned } from './forget-abandoned.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { digitsOf } from './phone-number.ts'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

interface Challenged {
  readonly factorId: string
  readonly challengeId: string
  readonly phone: string
}

/** Asks for a name and number, then for the code sent to it. */
export function AddPhoneFactorDialog({ taken, onAdded, onClose }: AddFactorDialogProps): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const { mfa } = supabase.auth
  const [name, setName] = useState(() => freeName(words.factorKinds.phone, taken))
  const [challenged, setChallenged] = useState<Challenged>()

  if (challenged === undefined) {
    return <NumberStep name={name} onNameChange={setName} onChallenged={setChallenged} onClose={onClose} />
  }
  const { factorId, challengeId, phone } = challenged
  return (
    <CodeDialog
      title={words.phoneTitle}
      submitLabel={words.confirm}
      digits={config.account.codeDigits.phoneFactor}
      description={words.phoneSent(phone)}
      onSubmit={async (code) => {
        unwrap(await mfa.verify({ factorId, challengeId, code }))
      }}
      onDone={() => onAdded(name.trim())}
      onClose={() => {
        void mfa.unenroll({ factorId })
        onClose()
      }}
    >
      <p className="text-small text-muted">{words.otherDevices}</p>
    </CodeDialog>
  )
}

function NumberStep({
  name,
  onNameChange,
  onChallenged,
  onClose,
}: {
  readonly name: string
  readonly onNameChange: (name: string) => void
  readonly onChallenged: (challenged: Challenged) => void
  readonly onClose: () => void
}): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<{ readonly name?: string; readonly phone?: string }>({})

  const submit = async (): Promise<void> => {
    const digits = digitsOf(text)
    setProblem({
      ...(name.trim() === '' ? { name: words.nameMissing } : {}),
      ...(digits === undefined ? { phone: words.phoneMissing } : {}),
    })
    if (name.trim() === '' || digits === undefined) return
    await action.run(async () => {
      onChallenged(await enrolPhone(supabase, name.trim(), `+${digits}`))
    })
  }
  return (
    <FormDialog
      title={words.phoneTitle}
      submitLabel={words.sendCode}
      isPending={action.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        description={words.nameHelp}
        maxLength={100}
        value={name}
        onChange={onNameChange}
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
        value={text}
        onChange={setText}
        errorMessage={problem.phone}
      />
      <FailureText failure={action.failure} />
    </FormDialog>
  )
}

/** Enrols a phone and sends it a code. */
async function enrolPhone(
  supabase: ReturnType<typeof useAccount>['supabase'],
  friendlyName: string,
  phone: string,
): Promise<Challenged> {
  const { mfa } = supabase.auth
  await forgetAbandoned(supabase, 'phone')
  const { id: factorId } = unwrap(await mfa.enroll({ factorType: 'phone', friendlyName, phone }))
  try {
    const { id: challengeId } = unwrap(await mfa.challenge({ factorId, channel: 'sms' }))
    return { factorId, challengeId, phone }
  } catch (error) {
    // Otherwise its name would be taken at the next attempt.
    await mfa.unenroll({ factorId })
    throw error
  }
}
