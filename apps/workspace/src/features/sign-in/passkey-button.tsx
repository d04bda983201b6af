import { KeyRound } from 'lucide-react'
import { type JSX, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { webAuthnSupportHere } from '../../lib/webauthn-support.ts'
import { errorMessages } from '../../messages/errors.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** Interval in ms for renewing the autofill request, because the server's challenge expires after five minutes. */
const AUTOFILL_RENEW_MS = 4 * 60_000

/** Signs in with a passkey of this device or a phone. On a numeric address, says where passkeys work. */
export function PasskeyButton({
  isOnline,
  onSignedIn,
}: {
  readonly isOnline: boolean
  readonly onSignedIn: () => Promise<void>
}): JSX.Element | null {
  const { config, client } = useBackend()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const autofill = usePasskeyAutofill({ isOn: isOnline && webAuthnSupportHere().kind === 'yes', onSignedIn })
  const support = webAuthnSupportHere()

  if (support.kind === 'ip_address') {
    return support.link === undefined ? null : (
      <p className="text-small text-muted">
        {words.passkeyElsewhere}{' '}
        <a href={support.link} className={textLinkClass}>
          {words.passkeyElsewhereLink(new URL(support.link).host)}
        </a>
      </p>
    )
  }
  if (support.kind !== 'yes') return null

  const signIn = async (): Promise<void> => {
    setFailure(undefined)
    setPending(true)
    autofill.stop()
    try {
      const { error } = await client.supabase.auth.signInWithPasskey()
      if (error) throw error
      await onSignedIn()
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
      autofill.start()
    } finally {
      setPending(false)
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <Button
        isFullWidth
        icon={<KeyRound size={18} aria-hidden />}
        isPending={isPending}
        isDisabled={waitS > 0}
        onPress={() => {
          if (isOnline) void signIn()
        }}
        {...(isOnline ? {} : { 'aria-disabled': true, 'aria-describedby': 'passkey-offline' })}
      >
        {words.continueWithPasskey}
      </Button>
      {isOnline ? null : (
        <span id="passkey-offline" className="sr-only">
          {errorMessages.offline}
        </span>
      )}
      <FormFailure failure={failure} waitS={waitS} />
    </div>
  )
}

/**
 * Offers passkeys as autofill of the e-mail field while the screen is open. Failures are silent, because the user has not asked for anything yet; the button
 * reports them when pressed.
 */
function usePasskeyAutofill({
  isOn,
  onSignedIn,
}: {
  readonly isOn: boolean
  readonly onSignedIn: () => Promise<void>
}): { readonly start: () => void; readonly stop: () => void } {
  const { client } = useBackend()
  const [round, setRound] = useState(0)
  const running = useRef<AbortController>(undefined)
  const goOn = useEffectEvent(onSignedIn)
  // The browser's dialog is outside React.
  useEffect(() => {
    if (!isOn) return
    const controller = new AbortController()
    running.current = controller
    const renew = setTimeout(() => setRound(round + 1), AUTOFILL_RENEW_MS)
    const { signal } = controller
    const offer = async (): Promise<void> => {
      if (!(await canAutofillPasskeys()) || signal.aborted) return
      const { data, error } = await client.supabase.auth.signInWithPasskey({
        options: { mediation: 'conditional', signal },
      })
      if (data?.session) await goOn()
      else if (error && !signal.aborted) console.info('The browser offers no passkeys by itself.', error)
    }
    void offer()
    return () => {
      clearTimeout(renew)
      controller.abort()
    }
  }, [client, isOn, round])
  return { start: () => setRound((last) => last + 1), stop: () => running.current?.abort() }
}

/** Whether the browser supports passkeys as autofill. */
async function canAutofillPasskeys(): Promise<boolean> {
  const api = globalThis.PublicKeyCredential as typeof PublicKeyCredential | undefined
  return (await api?.isConditionalMediationAvailable?.()) ?? false
}
