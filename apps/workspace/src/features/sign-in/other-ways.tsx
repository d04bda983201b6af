import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import type { Provider } from '../../lib/auth/sign-in-methods.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** Buttons for external providers and for continuing without an account. */
export function OtherWays({
  providers,
  hasGuests,
  redirect,
  isOnline,
  onSignedIn,
}: {
  readonly providers: readonly Provider[]
  readonly hasGuests: boolean
  readonly redirect: string | undefined
  readonly isOnline: boolean
  readonly onSignedIn: () => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const { auth } = client.supabase
  const [busy, setBusy] = useState<string>()
  const [failure, setFailure] = useState<AuthFailure>()

  const run = async (way: string, body: () => Promise<{ readonly error: unknown }>): Promise<void> => {
    if (busy !== undefined || !isOnline) return
    setBusy(way)
    setFailure(undefined)
    try {
      const { error } = await body()
      if (error) throw error
    } catch (error) {
      setFailure(classifyAuthError(error, config.project.name))
      setBusy(undefined)
    }
  }
  const toProvider = ({ id, name }: Provider): Promise<void> =>
    // The browser navigates to the provider; the button stays busy until then.
    run(id, () =>
      auth.signInWithOAuth({
        provider: id as Parameters<typeof auth.signInWithOAuth>[0]['provider'],
        options: { redirectTo: callbackUrl({ flow: 'provider', redirect, provider: name }) },
      }),
    )
  const asGuest = (): Promise<void> =>
    run('guest', async () => {
      const answer = await auth.signInAnonymously()
      if (!answer.error) await onSignedIn()
      return answer
    })
  return (
    <div className="flex flex-col gap-3">
      {providers.length === 0 ? null : (
        <ProviderButtons
          providers={providers}
          busy={busy}
          isOnline={isOnline}
          onPress={(provider) => void toProvider(provider)}
        />
      )}
      {hasGuests ? (
        <div className="flex flex-col gap-1">
          <Button
            isFullWidth
            isPending={busy === 'guest'}
            aria-describedby="guest-detail"
            onPress={() => void asGuest()}
            {...(isOnline ? {} : { 'aria-disabled': true })}
          >
            {words.continueAsGuest}
          </Button>
          <p id="guest-detail" className="text-center text-small text-muted">
            {words.guestDetail}
          </p>
        </div>
      ) : null}
      <FormFailure failure={failure} />
    </div>
  )
}

function ProviderButtons({
  providers,
  busy,
  isOnline,
  onPress,
}: {
  readonly providers: readonly Provider[]
  /** Id of the provider that the browser is navigating to. */
  readonly busy: string | undefined
  readonly isOnline: boolean
  readonly onPress: (provider: Provider) => void
}): JSX.Element {
  const isSingle = providers.length === 1
  return (
    <div className={isSingle ? 'grid gap-2' : 'grid grid-cols-2 gap-2'}>
      {providers.map((provider) => (
        <Button
          key={provider.id}
          isFullWidth
          aria-label={words.continueWith(provider.name)}
          icon={<Initial name={provider.name} />}
          isPending={busy === provider.id}
          onPress={() => onPress(provider)}
          {...(isOnline ? {} : { 'aria-disabled': true })}
        >
          <span className="truncate">{isSingle ? words.continueWith(provider.name) : provider.name}</span>
        </Button>
      ))}
    </div>
  )
}

/** The provider's initial. Logos belong to the providers, and a letter suffices to tell a few buttons apart. */
function Initial({ name }: { readonly name: string }): JSX.Element {
  return (
    <span
      aria-hidden
      className="flex size-5 shrink-0 items-center justify-center rounded-sm bg-sunken text-small font-semibold text-muted"
    >
      {name.charAt(0).toUpperCase()}
    </span>
  )
}
