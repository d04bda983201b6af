import type { EmailOtpType } from '@supabase/supabase-js'
import { useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { setPendingPassword } from '../../lib/pending-password.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { authCallbackMessages as words } from '../../messages/auth-callback.ts'
import { FailedArrival } from './failed-arrival.tsx'

const TYPES: readonly EmailOtpType[] = ['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email']

/**
 * Confirms a link from a mail. Requires a press, so that programs that open every link in a mail do not consume it. Links with `?token=&type=&redirect_to=`, as
 * in our mails, may belong to any app: the server verifies them and redirects. Links with `?token_hash=&type=`, as in custom templates, are verified by this
 * app.
 */
export function ConfirmLinkScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { redirect } = useSearch({ strict: false })
  // Read as text, because the router would convert some tokens to numbers.
  const [{ token, type, verify }] = useState(() => readLink(new URLSearchParams(location.search)))
  const isOnline = useOnline()
  const goOn = useGoOn()
  const [isPending, setPending] = useState(false)
  const [failed, setFailed] = useState<{ readonly code: string; readonly description: string }>()
  /** The link was not tried, because the server was unreachable. */
  const [unreachable, setUnreachable] = useState<AuthFailure>()

  if (failed) return <FailedArrival {...failed} />
  if (token === undefined || type === undefined) return <FailedArrival code="otp_expired" description="" />

  const confirm = async (): Promise<void> => {
    setPending(true)
    setUnreachable(undefined)
    if (verify !== undefined) {
      location.assign(verify)
      return
    }
    const { data, error } = await client.supabase.auth.verifyOtp({ token_hash: token, type })
    if (error) {
      const failure = classifyAuthError(error, config.project.name)
      if (failure.code === 'HF-NET-UNREACHABLE') {
        setPending(false)
        setUnreachable(failure)
        return
      }
      setFailed({ code: error.code ?? failure.code, description: error.message })
      return
    }
    if (data.user && type === 'invite') setPendingPassword({ userId: data.user.id, reason: 'invite' })
    await goOn(redirect)
  }
  return (
    <EntryPage
      project={config.project.name}
      title={type === 'invite' ? words.inviteTitle : words.confirmTitle}
      lead={type === 'invite' ? words.inviteDetail : words.confirmDetail}
      offline={isOnline ? undefined : words.offline}
    >
      <FormFailure failure={unreachable} />
      <Button
        tone="primary"
        isFullWidth
        autoFocus
        isPending={isPending}
        onPress={() => {
          if (isOnline) void confirm()
        }}
        {...(isOnline ? {} : { 'aria-disabled': true })}
      >
        {type === 'invite' ? words.inviteSubmit : words.confirmSubmit}
      </Button>
    </EntryPage>
  )
}

interface MailLink {
  readonly token: string | undefined
  readonly type: EmailOtpType | undefined
  /** URL where the server verifies the link and redirects. `undefined`: this app verifies it. */
  readonly verify: string | undefined
}

function readLink(query: URLSearchParams): MailLink {
  const type = TYPES.find((known) => known === query.get('type'))
  const token = query.get('token') ?? undefined
  if (token === undefined) return { token: query.get('token_hash') ?? undefined, type, verify: undefined }
  const redirectTo = query.get('redirect_to') ?? ''
  // An invitation to this app is accepted here with one press; the server would redirect back to the same question.
  if (type === 'invite' && isOwnAddress(redirectTo)) return { token, type, verify: undefined }
  const asked = new URLSearchParams({ token, type: type ?? '', redirect_to: redirectTo })
  return { token, type, verify: `/auth/v1/verify?${asked}` }
}

function isOwnAddress(address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === location.origin
}
