import type { HoldfastClient } from '@holdfast/client'
import { isAuthError } from '@supabase/supabase-js'
import { useSearch } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { type JSX, useEffect, useState } from 'react'
import { EntryPage } from '../../components/entry-page.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import type { Arrival } from '../../lib/auth/arrival.ts'
import type { Flow } from '../../lib/auth/callback-url.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPendingPassword } from '../../lib/pending-password.ts'
import { authCallbackMessages as words } from '../../messages/auth-callback.ts'
import { FailedArrival } from './failed-arrival.tsx'

type Outcome =
  | { readonly kind: 'working' }
  | { readonly kind: 'in' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Signs in with the received credentials and continues to the requested page. */
export function TakingUp({
  arrival,
  flow,
}: {
  readonly arrival: Takeable
  readonly flow: Flow | undefined
}): JSX.Element {
  const { config, client } = useBackend()
  const session = useValue(client.session)
  const { redirect } = useSearch({ strict: false })
  const isOnline = useOnline()
  const goOn = useGoOn()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'working' })
  const staysHere = flow === 'email-change'

  // Runs on arrival, without a button.
  useEffect(() => {
    let isOver = false
    takeUp(client.supabase, arrival).then(
      () => {
        if (isOver) return
        if (staysHere) setOutcome({ kind: 'in' })
        else void goOn(redirect)
      },
      (error: unknown) => {
        if (!isOver) setOutcome({ kind: 'failed', error })
      },
    )
    return () => {
      isOver = true
    }
  }, [arrival, client, goOn, redirect, staysHere])

  if (outcome.kind === 'in') {
    const email = 'user' in session ? (session.user.email ?? '') : ''
    return <EmailChanged detail={words.emailChangedDetail(email)} redirect={redirect} />
  }
  if (outcome.kind === 'failed') {
    const failure: AuthFailure = classifyAuthError(outcome.error, config.project.name)
    // The link did change the address; only the session is limited to the browser that requested it.
    if (staysHere && failure.kind === 'other_browser') {
      return <EmailChanged detail={words.emailChangedElsewhere} redirect={redirect} />
    }
    const code = isAuthError(outcome.error) ? outcome.error.code : undefined
    return (
      <FailedArrival
        code={failure.kind === 'other_browser' ? 'bad_code_verifier' : (code ?? failure.code)}
        description={'message' in failure ? failure.message : ''}
      />
    )
  }
  return (
    <EntryPage project={config.project.name} title={words.working} offline={isOnline ? undefined : words.offline}>
      <p role="status" className="flex items-center justify-center gap-2 py-2 text-muted">
        <Spinner /> {words.working}
      </p>
    </EntryPage>
  )
}

function EmailChanged({
  detail,
  redirect,
}: {
  readonly detail: string
  readonly redirect: string | undefined
}): JSX.Element {
  const { config } = useBackend()
  return (
    <EntryPage project={config.project.name} title={words.emailChanged} lead={detail}>
      <LinkButton to={redirect ?? '/'} tone="primary">
        {words.goOn}
      </LinkButton>
    </EntryPage>
  )
}

/** An arrival that yields a session. */
type Takeable = Extract<Arrival, { kind: 'code' | 'tokens' }>

const taken = new WeakMap<Takeable, Promise<void>>()

/**
 * Exchanges the result of a link or provider for a session. Runs at most once per arrival.
 *
 * @throws errors of the auth client
 */
function takeUp(supabase: HoldfastClient['supabase'], arrival: Takeable): Promise<void> {
  const known = taken.get(arrival)
  if (known) return known
  const work = signIn(supabase, arrival)
  taken.set(arrival, work)
  return work
}

async function signIn({ auth }: HoldfastClient['supabase'], arrival: Takeable): Promise<void> {
  if (arrival.kind === 'code') {
    const { error } = await auth.exchangeCodeForSession(
      arrival.code,
      arrival.flowId === undefined ? {} : { flowId: arrival.flowId },
    )
    if (error) throw error
    return
  }
  const { accessToken, refreshToken, type } = arrival
  const { data, error } = await auth.setSession({ access_token: accessToken, refresh_token: refreshToken })
  if (error) throw error
  if (data.user && (type === 'invite' || type === 'recovery')) {
    setPendingPassword({ userId: data.user.id, reason: type })
  }
}
