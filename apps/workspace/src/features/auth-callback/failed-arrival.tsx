import { useSearch } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { hasSession } from '@holdfast/client'
import type { JSX } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { LinkButton } from '../../components/link.tsx'
import type { Flow } from '../../lib/auth/callback-url.ts'
import { ownPath } from '../../lib/auth/own-path.ts'
import { readLastEmail } from '../../lib/auth/sent-codes.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { authCallbackMessages as words } from '../../messages/auth-callback.ts'
import { commonMessages } from '../../messages/common.ts'
import { errorMessages } from '../../messages/errors.ts'

type Kind = 'too_old' | 'other_browser' | 'provider' | 'no_email' | 'identity' | 'other'

/** Explains why a link or provider sign-in failed, and how to get a new link. */
export function FailedArrival({
  code,
  description,
}: {
  /** The server's code, or else the provider's. */
  readonly code: string
  readonly description: string
}): JSX.Element {
  const { config, client } = useBackend()
  const session = useValue(client.session)
  const { flow, redirect, provider = words.someProvider } = useSearch({ strict: false })
  const kind = kindOf(code, flow)
  const { title, detail } = wordsOf(kind, provider)
  const isIn = hasSession(session)
  const back = ownPath(redirect) ?? '/'
  const next = kind === 'too_old' || kind === 'other_browser' ? newOne(kind, flow, redirect) : null
  const tone = next === null ? 'primary' : 'secondary'

  return (
    <EntryPage project={config.project.name} title={title} lead={detail}>
      {next}
      {isIn ? (
        <LinkButton to={back} tone={tone}>
          {words.back}
        </LinkButton>
      ) : (
        <LinkButton to="/sign-in" search={{ redirect }} tone={tone}>
          {kind === 'provider' ? words.tryAgain : words.toSignIn}
        </LinkButton>
      )}
      <Disclosure title={commonMessages.details}>
        <p className="font-mono text-small [overflow-wrap:anywhere]">{code}</p>
        {description === '' ? null : <p className="text-small text-muted">{description}</p>}
      </Disclosure>
    </EntryPage>
  )
}

/** Links to a screen that resends the mail or accepts its code; nothing if the account is unknown. */
function newOne(
  kind: 'too_old' | 'other_browser',
  flow: Flow | undefined,
  redirect: string | undefined,
): JSX.Element | null {
  const email = readLastEmail()
  const isCodeWanted = kind === 'other_browser' && email !== undefined
  if (flow === 'recovery') {
    return (
      <LinkButton to={isCodeWanted ? '/recover/code' : '/recover'} search={{ email }} tone="primary">
        {isCodeWanted ? words.enterCode : words.newRecovery}
      </LinkButton>
    )
  }
  if (flow === 'sign-up' && email !== undefined) {
    return (
      <LinkButton to="/sign-up/confirm" search={{ redirect, email }} tone="primary">
        {isCodeWanted ? words.enterCode : words.newConfirmation}
      </LinkButton>
    )
  }
  if (flow === 'link' && email !== undefined) {
    return (
      <LinkButton to="/sign-in/code" search={{ redirect, email }} tone="primary">
        {isCodeWanted ? words.enterCode : words.newCode}
      </LinkButton>
    )
  }
  return null
}

const IDENTITY = new Set(['identity_already_exists', 'manual_linking_disabled', 'identity_not_found'])
const NO_EMAIL = new Set(['provider_email_needs_verification', 'email_address_invalid'])
const OTHER_BROWSER = new Set(['flow_state_not_found', 'flow_state_expired', 'bad_code_verifier'])

function kindOf(code: string, flow: Flow | undefined): Kind {
  if (code === 'otp_expired') return 'too_old'
  if (OTHER_BROWSER.has(code)) return 'other_browser'
  if (IDENTITY.has(code)) return 'identity'
  if (NO_EMAIL.has(code)) return 'no_email'
  const isProvider = flow === 'provider' || flow === 'identity' || code.startsWith('bad_oauth')
  return isProvider ? 'provider' : 'other'
}

function wordsOf(kind: Kind, provider: string): { readonly title: string; readonly detail?: string } {
  switch (kind) {
    case 'too_old':
      return { title: words.tooOld, detail: words.tooOldDetail }
    case 'other_browser':
      return { title: words.otherBrowser, detail: words.otherBrowserDetail }
    case 'provider':
      return { title: words.providerRefused(provider), detail: words.providerDetail }
    case 'no_email':
      return { title: words.providerRefused(provider), detail: words.providerNoEmail(provider) }
    case 'identity':
      return { title: words.failed, detail: errorMessages.identityTaken }
    case 'other':
      return { title: words.failed }
    default:
      return kind satisfies never
  }
}
