import type { User } from '@supabase/supabase-js'
import { type JSX, useRef, useState } from 'react'
import { PasswordField } from '../../components/password-field.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { codeOf } from './account-failure.ts'
import { ActionButton } from './action-button.tsx'
import { CodeField } from './code-field.tsx'
import { FailureText } from './failure-text.tsx'
import { NoRows, Section } from './section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { weakPasswordMessage } from './weak-password.ts'

/** Sets a password. When the sign-in is a while ago, the server sends a code and wants it back with the password. */
export function PasswordSection({ user }: { readonly user: User }): JSX.Element {
  return (
    <Section title={words.passwordTitle} description={words.passwordLead}>
      {user.is_anonymous === true ? <NoRows>{words.passwordGuest}</NoRows> : <PasswordForm user={user} />}
    </Section>
  )
}

function PasswordForm({ user }: { readonly user: User }): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const action = useAction()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  /** `undefined`: the server has not asked for a code. */
  const [code, setCode] = useState<string>()
  /** `undefined`: the server has not asked for it. */
  const [current, setCurrent] = useState<string>()
  const [currentProblem, setCurrentProblem] = useState<string>()
  const fieldRef = useRef<HTMLInputElement>(null)
  const again = useAction()
  const [isCodeMissing, setCodeMissing] = useState(false)
  const isCodeWrong = action.failure?.code === 'reauthentication_not_valid'

  const submit = async (): Promise<void> => {
    const isWeak = checkPassword(password, config.account.password).some(({ isMet }) => !isMet)
    const wrong = password === '' ? passwordMessages.missing : isWeak ? passwordMessages.notEnough : undefined
    setProblem(wrong)
    if (wrong !== undefined) {
      fieldRef.current?.focus()
      return
    }
    setCodeMissing(code === '')
    if (code === '') return
    const isSet = await action.run(
      async () => {
        unwrap(
          await supabase.auth.updateUser({
            password,
            ...(code === undefined ? {} : { nonce: code }),
            ...(current === undefined ? {} : { current_password: current }),
          }),
        )
      },
      async (error) => {
        const message = weakPasswordMessage(error)
        if (message !== undefined) {
          setProblem(message)
          fieldRef.current?.focus()
          return true
        }
        const refusal = codeOf(error)
        if (refusal === 'current_password_required' || refusal === 'current_password_invalid') {
          setCurrent(current ?? '')
          setCurrentProblem(refusal === 'current_password_invalid' ? words.currentWrong : words.currentMissing)
          return true
        }
        if (refusal !== 'reauthentication_needed') return false
        unwrap(await supabase.auth.reauthenticate())
        setCode('')
        return true
      },
    )
    if (!isSet) return
    setPassword('')
    setCode(undefined)
    setCurrent(undefined)
    showToast({ text: words.passwordDone })
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4 rounded-lg border border-border bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!action.isPending) void submit()
      }}
    >
      {/* Password managers want to know whose password it is. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={user.email ?? user.phone ?? ''}
        readOnly
        hidden
      />
      {current === undefined ? null : (
        <PasswordField
          label={words.currentPassword}
          autoFocus
          value={current}
          onChange={(value) => {
            setCurrent(value)
            setCurrentProblem(undefined)
          }}
          errorMessage={currentProblem}
        />
      )}
      <NewPasswordField
        inputRef={fieldRef}
        value={password}
        onChange={(value) => {
          setPassword(value)
          setProblem(undefined)
        }}
        rules={config.account.password}
        errorMessage={problem}
      />
      {code === undefined ? null : (
        <CodeField
          value={code}
          digits={config.account.codeDigits.email}
          onChange={setCode}
          description={words.reauthLead(user.email || `+${user.phone ?? ''}`)}
          failure={
            isCodeMissing
              ? { code: 'HF-CODE-MISSING', message: words.reauthMissing }
              : isCodeWrong
                ? action.failure
                : undefined
          }
        />
      )}
      <FailureText failure={isCodeWrong ? again.failure : (action.failure ?? again.failure)} />
      <div className="flex flex-wrap gap-2">
        <ActionButton type="submit" isPending={action.isPending}>
          {words.setPassword}
        </ActionButton>
        {code === undefined ? null : (
          <ActionButton
            tone="quiet"
            isPending={again.isPending}
            onPress={() => {
              void again.run(async () => {
                unwrap(await supabase.auth.reauthenticate())
                showToast({ text: accountMessages.codeSent })
              })
            }}
          >
            {accountMessages.codeAgain}
          </ActionButton>
        )}
      </div>
    </form>
  )
}
