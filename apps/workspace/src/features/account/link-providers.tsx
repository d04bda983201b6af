import { type JSX, useState } from 'react'
import type { Provider as ProviderName } from '@supabase/supabase-js'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import type { Provider } from '../../lib/auth/sign-in-methods.ts'
import { identitiesMessages as words } from '../../messages/account-identities.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { FailureText } from './failure-text.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** A button per provider. The browser goes to the provider and returns. */
export function LinkProviders({
  providers,
  returnTo,
}: {
  readonly providers: readonly Provider[]
  /** Path of the app. */
  readonly returnTo: string
}): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  const [pressed, setPressed] = useState<string>()
  const link = ({ id, name }: Provider): void => {
    setPressed(id)
    void action.run(async () => {
      unwrap(
        await supabase.auth.linkIdentity({
          // The server lists its providers; the client's type only helps with typing.
          provider: id as ProviderName,
          options: { redirectTo: callbackUrl({ flow: 'identity', redirect: returnTo, provider: name }) },
        }),
      )
    })
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {providers.map((provider) => (
          <ActionButton
            key={provider.id}
            isPending={action.isPending && pressed === provider.id}
            onPress={() => link(provider)}
          >
            {words.link(provider.name)}
          </ActionButton>
        ))}
      </div>
      <FailureText failure={action.failure} />
    </div>
  )
}
