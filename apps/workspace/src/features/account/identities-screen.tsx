import type { UserIdentity } from '@supabase/supabase-js'
import { Mail, Phone } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { accountMessages } from '../../messages/account.ts'
import { identitiesMessages as words, providerName } from '../../messages/account-identities.ts'
import { useAccount } from './account-context.tsx'
import { AccountState } from './account-layout.tsx'
import { LinkProviders } from './link-providers.tsx'
import { ReadState } from './read-state.tsx'
import { RemovableRow, type Removal } from './removable-row.tsx'
import { NoRows, Rows, Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAuthSettings } from './use-auth-settings.ts'

/** The identities of this account: e-mail, phone and linked accounts. */
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
  /** The server allows unlinking. */
  readonly canUnlink: boolean
  readonly onGone: () => void
}): JSX.Element {
  const { supabase, reload } = useAccount()
  const { provider } = identity
  const name = providerName(provider)
  const address = addressOf(identity)
  const removal: Removal = {
    label: words.unlink,
    namedLabel: words.unlinkNamed(name),
    title: words.unlinkTitle(name),
    detail: provider === 'email' ? words.unlinkEmail : words.unlinkDetail(name),
    done: words.unlinked(name),
    async run() {
      unwrap(await supabase.auth.unlinkIdentity(identity))
      await reload()
    },
    onGone,
  }
  return (
    <RemovableRow
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
      removal={isOnly || !canUnlink ? undefined : removal}
    >
      {address === undefined ? null : <span className="block text-body text-text">{address}</span>}
      <span className="block first-letter:uppercase">{timesOf(identity)}</span>
      {isOnly ? <span className="block">{words.onlyOne}</span> : null}
    </RemovableRow>
  )
}

/** Describes an identity's times. E-mail and phone record only when they were added; other providers record every sign-in. */
function timesOf({ provider, created_at: createdAt, last_sign_in_at: lastAt }: UserIdentity): string {
  const isOwn = provider === 'email' || provider === 'phone'
  return [
    createdAt === undefined ? undefined : words.added(new Date(createdAt)),
    isOwn || !lastAt ? undefined : words.lastUsed(new Date(lastAt)),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

/** Returns the name by which the user knows the linked account. */
function addressOf({ identity_data: data }: UserIdentity): string | undefined {
  for (const key of ['email', 'phone', 'preferred_username', 'user_name', 'name']) {
    const value: unknown = data?.[key]
    if (typeof value === 'string' && value !== '') return key === 'phone' ? `+${value.replace(/^\+/, '')}` : value
  }
  return undefined
}
