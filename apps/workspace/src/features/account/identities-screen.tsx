import type { UserIdentity } from '@supabase/supabase-js'
import { Mail, Phone } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { accountMessages } from '../../messages/account.ts'
import { identitiesMessages as words, providerName } from '../../messages/account-identities.ts'
import { useAccount } from './account-context.tsx'
import { AccountState } from './account-layout.tsx'
import { ActionButton } from './action-button.tsx'
import { FailureText } from './failure-text.tsx'
import { LinkProviders } from './link-providers.tsx'
import { ReadState } from './read-state.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { useAuthSettings } from './use-auth-settings.ts'

/** What opens this account: e-mail, phone and linked accounts. */
export function IdentitiesScreen(): JSX.Element {
  const { user } = useAccount()
  const settings = useAuthSettings()
  const headingRef = useRef<HTMLHeadingElement>(null)
  const identities = user?.identities ?? []
  return (
    <Page title={words.title} description={words.lead} width="reading">
      <AccountState>
        <Section title={words.label} headingRef={headingRef}>
          {user === undefined ? (
            <Skeleton rows={2} label={accountMessages.loading} />
          ) : identities.length === 0 ? (
            <NoRows>{user.is_anonymous === true ? words.guest : words.none}</NoRows>
          ) : (
            <Rows label={words.label}>
              {identities.map((identity) => (
                <IdentityRow
                  key={identity.identity_id}
                  identity={identity}
                  isOnly={identities.length === 1}
                  canUnlink={settings.state.kind === 'ready' && settings.state.value.hasManualLinking}
                  onGone={() => headingRef.current?.focus()}
                />
              ))}
            </Rows>
          )}
        </Section>
        <Section title={words.linkTitle} description={words.linkLead}>
          <ReadState state={settings.state} onRetry={settings.reload} rows={1}>
            {({ hasManualLinking, providers }) =>
              !hasManualLinking ? (
                <NoRows>{words.linkingOff}</NoRows>
              ) : providers.length === 0 ? (
                <NoRows>{words.noProviders}</NoRows>
              ) : (
                <LinkProviders providers={providers} returnTo="/account/identities" />
              )
            }
          </ReadState>
        </Section>
      </AccountState>
    </Page>
  )
}

function IdentityRow({
  identity,
  isOnly,
  canUnlink,
  onGone,
}: {
  readonly identity: UserIdentity
  readonly isOnly: boolean
  /** The server lets people do so. */
  readonly canUnlink: boolean
  readonly onGone: () => void
}): JSX.Element {
  const { supabase, reload } = useAccount()
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const { provider } = identity
  const name = providerName(provider)
  const address = addressOf(identity)

  const unlink = async (): Promise<void> => {
    setAsking(false)
    const isDone = await action.run(async () => {
      unwrap(await supabase.auth.unlinkIdentity(identity))
      await reload()
    })
    if (!isDone) return
    showToast({ text: words.unlinked(name) })
    onGone()
  }
  return (
    <Row
      icon={
        provider === 'email' ? (
          <Mail size={18} aria-hidden />
        ) : provider === 'phone' ? (
          <Phone size={18} aria-hidden />
        ) : (
          <span aria-hidden className="text-heading">
            {name.charAt(0)}
          </span>
        )
      }
      title={name}
      actions={
        isOnly || !canUnlink ? undefined : (
          <ActionButton
            size="sm"
            aria-label={words.unlinkNamed(name)}
            isPending={action.isPending}
            onPress={() => setAsking(true)}
          >
            {words.unlink}
          </ActionButton>
        )
      }
      below={<FailureText failure={action.failure} />}
    >
      {address === undefined ? null : <span className="block text-body text-text">{address}</span>}
      <span className="block first-letter:uppercase">{timesOf(identity)}</span>
      {isOnly ? <span className="block">{words.onlyOne}</span> : null}
      <ConfirmDialog
        title={words.unlinkTitle(name)}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDanger
        confirmLabel={words.unlink}
        onConfirm={() => void unlink()}
      >
        <p>{provider === 'email' ? words.unlinkEmail : words.unlinkDetail(name)}</p>
      </ConfirmDialog>
    </Row>
  )
}

/** E-mail and phone keep the time at which they were added; only other providers tell of every sign-in. */
function timesOf({ provider, created_at: createdAt, last_sign_in_at: lastAt }: UserIdentity): string {
  const isOwn = provider === 'email' || provider === 'phone'
  return [
    createdAt === undefined ? undefined : words.added(new Date(createdAt)),
    isOwn || !lastAt ? undefined : words.lastUsed(new Date(lastAt)),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

/** By what a person knows the linked account. */
function addressOf({ identity_data: data }: UserIdentity): string | undefined {
  for (const key of ['email', 'phone', 'preferred_username', 'user_name', 'name']) {
    const value: unknown = data?.[key]
    if (typeof value === 'string' && value !== '') return key === 'phone' ? `+${value.replace(/^\+/, '')}` : value
  }
  return undefined
}
