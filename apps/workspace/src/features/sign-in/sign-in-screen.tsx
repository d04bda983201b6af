import { useNavigate, useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { EntryPage, OrLine } from '../../components/entry-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { emailOf } from '../../lib/auth/identifier.ts'
import { type SignInMethods, useSignInMethods } from '../../lib/auth/sign-in-methods.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { type KnownAccount, useKnownAccounts } from '../../lib/data/use-known-accounts.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { IdentifierForm } from './identifier-form.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { RemainingData } from './remaining-data.tsx'
import { SampleAccountsHint } from './sample-accounts-hint.tsx'

/** Assumed methods of a server never reached before. */
const UNKNOWN: SignInMethods = {
  email: true,
  phone: false,
  passkeys: false,
  guest: false,
  signUp: false,
  providers: [],
}

/** The server's sign-in methods, and the accounts on this device. */
export function SignInScreen(): JSX.Element {
  const { config } = useBackend()
  const { redirect, email, reason } = useSearch({ strict: false })
  const accounts = useKnownAccounts()
  const hasOpenable = accounts.some(({ canOpen, isLocked }) => canOpen || isLocked)
  const methods = useSignInMethods((state) => state.methods) ?? UNKNOWN
  const isOnline = useOnline()
  const [text, setText] = useState(email ?? '')
  const navigate = useNavigate()
  const goOn = useGoOn()
  const onSignedIn = (): Promise<void> => goOn(redirect)
  const hasForm = methods.email || methods.phone
  const hasOthers = methods.providers.length > 0 || methods.guest

  return (
    <EntryPage
      project={config.project.name}
      title={words.lead}
      offline={isOnline ? undefined : hasOpenable ? words.offlineWithAccounts : words.offlineWithoutAccounts}
      notice={
        <>
          {reason === 'expired' ? <Notice title={words.reasonExpired} /> : null}
          <RemainingData />
        </>
      }
      below={
        <>
          <AccountsHere accounts={accounts} redirect={redirect} isOnline={isOnline} />
          {config.sample ? (
            <SampleAccountsHint
              sample={config.sample}
              onChoose={(chosen) =>
                void navigate({ to: '/sign-in/password', search: { redirect, email: chosen, reason: 'sample' } })
              }
            />
          ) : null}
        </>
      }
    >
      {hasForm || hasOthers || methods.passkeys ? null : (
        <Notice tone="warning" title={words.noMethod}>
          {words.noMethodDetail}
        </Notice>
      )}
      {methods.passkeys ? <PasskeyButton isOnline={isOnline} onSignedIn={onSignedIn} /> : null}
      {methods.passkeys && hasForm ? <OrLine>{words.or}</OrLine> : null}
      {hasForm ? (
        <IdentifierForm
          text={text}
          onTextChange={setText}
          redirect={redirect}
          hasEmail={methods.email}
          hasPhone={methods.phone}
          hasPasskeys={methods.passkeys}
        />
      ) : null}
      {hasOthers && (hasForm || methods.passkeys) ? <OrLine>{words.or}</OrLine> : null}
      {hasOthers ? (
        <OtherWays
          providers={methods.providers}
          hasGuests={methods.guest}
          redirect={redirect}
          isOnline={isOnline}
          onSignedIn={onSignedIn}
        />
      ) : null}
      {hasForm ? <FormLinks methods={methods} text={text} redirect={redirect} /> : null}
    </EntryPage>
  )
}

/** Not part of a first visit. */
const localAccounts = latePart(async () => (await import('./local-accounts.tsx')).LocalAccounts)

/** The accounts on this device. */
function AccountsHere({
  accounts,
  redirect,
  isOnline,
}: {
  readonly accounts: readonly KnownAccount[]
  readonly redirect: string | undefined
  readonly isOnline: boolean
}): JSX.Element | null {
  const { client } = useBackend()
  const navigate = useNavigate()
  const goOn = useGoOn()
  const { part: LocalAccounts } = useLatePart(localAccounts, accounts.length > 0)
  if (LocalAccounts === undefined || accounts.length === 0) return null
  return (
    <LocalAccounts
      accounts={accounts}
      isOnline={isOnline}
      onSignIn={(account) => void navigate({ to: '/sign-in/password', search: { redirect, email: account.email } })}
      onOpen={async (account) => {
        await client.openLocally({ id: account.userId, email: account.email })
        await goOn(redirect)
      }}
    />
  )
}

/** Links below the form, for forgotten passwords and new users. */
function FormLinks({
  methods,
  text,
  redirect,
}: {
  readonly methods: SignInMethods
  /** The text typed so far. */
  readonly text: string
  readonly redirect: string | undefined
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-small text-muted">
      {methods.email ? (
        <TextLink to="/recover" search={{ email: emailOf(text) }}>
          {words.forgot}
        </TextLink>
      ) : null}
      {methods.signUp ? (
        <span className="inline-flex flex-wrap items-center gap-x-1.5">
          {words.newHere}
          <TextLink to="/sign-up" search={{ redirect, email: emailOf(text) }}>
            {words.createAccount}
          </TextLink>
        </span>
      ) : null}
    </div>
  )
}
