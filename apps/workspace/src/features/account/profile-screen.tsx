import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { nameFromEmail } from '../../lib/data/backend.ts'
import { accountMessages } from '../../messages/account.ts'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { ACCOUNT_PLACES, AccountState } from './account-layout.tsx'
import { ActionButton } from './action-button.tsx'
import { ContactSection } from './contact-section.tsx'
import { FailureText } from './failure-text.tsx'
import { GuestSection } from './guest-section.tsx'
import { Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** Name, e-mail and phone; for guests, ways to keep the account. */
export function ProfileScreen(): JSX.Element {
  const { user } = useAccount()
  return (
    <Page title={words.title} description={words.lead} width="reading">
      <AccountState>
        {user === undefined ? (
          <Skeleton rows={3} label={accountMessages.loading} />
        ) : (
          <>
            {user.is_anonymous === true ? <GuestSection /> : null}
            <NameSection name={nameOf(user.user_metadata)} email={user.email ?? ''} />
            {user.is_anonymous === true ? null : <ContactSection user={user} />}
          </>
        )}
        <MorePlaces />
      </AccountState>
    </Page>
  )
}

function nameOf(metadata: Readonly<Record<string, unknown>>): string {
  const name = metadata['name'] ?? metadata['full_name']
  return typeof name === 'string' ? name : ''
}

function NameSection({ name: nameNow, email }: { readonly name: string; readonly email: string }): JSX.Element {
  const { supabase } = useAccount()
  const action = useAction()
  // A name changed elsewhere is shown, unless the user is editing it here.
  const [draft, setDraft] = useState<string>()
  const name = draft ?? nameNow
  const [isMissing, setMissing] = useState(false)
  const isChanged = name.trim() !== nameNow

  const save = async (): Promise<void> => {
    setMissing(name.trim() === '')
    if (name.trim() === '' || !isChanged) return
    const isSaved = await action.run(async () => {
      unwrap(await supabase.auth.updateUser({ data: { name: name.trim() } }))
    })
    if (!isSaved) return
    setDraft(undefined)
    showToast({ text: words.nameSaved })
  }
  return (
    <Section title={words.nameTitle}>
      <form
        noValidate
        className="flex items-start gap-3 rounded-lg border border-border bg-raised p-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!action.isPending) void save()
        }}
      >
        <span className="hidden tablet:flex">
          <Avatar name={nameNow === '' ? nameFromEmail(email) : nameNow} size="lg" />
        </span>
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <TextField
            label={words.nameLabel}
            isLabelHidden
            name="name"
            autoComplete="name"
            maxLength={200}
            value={name}
            onChange={setDraft}
            description={words.nameHelp}
            errorMessage={isMissing ? words.nameMissing : undefined}
          />
          <FailureText failure={action.failure} />
        </div>
        <ActionButton type="submit" isPending={action.isPending}>
          {accountMessages.save}
        </ActionButton>
      </form>
    </Section>
  )
}

/** Links to the other screens, for narrow windows without the side navigation. */
function MorePlaces(): JSX.Element {
  return (
    <nav aria-label={words.more} className="laptop:hidden">
      <ul className="divide-y divide-border rounded-lg border border-border bg-raised">
        {ACCOUNT_PLACES.filter(({ key }) => key !== 'profile').map(({ to, key, icon }) => (
          <li key={to}>
            <Link
              to={to}
              className="focus-inset flex min-h-14 items-center gap-3 px-4 py-2 text-body text-text no-underline hover:bg-hover"
            >
              <span className="flex text-muted">{icon}</span>
              <span className="flex min-w-0 flex-1 flex-col">
                <span className="font-medium">{accountMessages.places[key].label}</span>
                <span className="text-small text-muted">{accountMessages.places[key].detail}</span>
              </span>
              <ChevronRight size={18} aria-hidden className="text-subtle" />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
