import { useSearch } from '@tanstack/react-router'
import { type JSX, useEffect, useState } from 'react'
import { AuthApiError, type OAuthAuthorizationDetails } from '@supabase/supabase-js'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { oauthConsentMessages as words } from '../../messages/oauth-consent.ts'

type Asked =
  | { readonly kind: 'loading' }
  | { readonly kind: 'question'; readonly details: OAuthAuthorizationDetails }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: AuthFailure }

/** Asks the user to authorize another app: who it is, what it may do, and the answer. */
export function OAuthConsentScreen(): JSX.Element {
  const [attempt, setAttempt] = useState(1)
  return <Question key={attempt} onAgain={() => setAttempt(attempt + 1)} />
}

function Question({ onAgain }: { readonly onAgain: () => void }): JSX.Element {
  const { config } = useBackend()
  const isOnline = useOnline()
  const { asked, busy, failure, answer } = useConsent(isOnline)
  const project = config.project.name
  switch (asked.kind) {
    case 'gone':
      return (
        <EntryPage project={project} title={words.gone} lead={words.goneDetail}>
          <LinkButton to="/" tone="primary">
            {words.home}
          </LinkButton>
        </EntryPage>
      )
    case 'failed':
      return (
        <EntryPage project={project} title={words.loading}>
          <FormFailure failure={asked.failure} />
          <Button tone="primary" isFullWidth onPress={onAgain}>
            {words.tryAgain}
          </Button>
          <LinkButton to="/">{words.home}</LinkButton>
        </EntryPage>
      )
    case 'loading':
      return (
        <EntryPage project={project} title={words.loading} offline={isOnline ? undefined : words.offline}>
          <Skeleton rows={4} />
        </EntryPage>
      )
    case 'question': {
      const { details } = asked
      return (
        <EntryPage
          project={project}
          title={words.title(details.client.name)}
          lead={words.as(details.user.email)}
          offline={isOnline ? undefined : words.offline}
          below={
            <p className="text-center text-small text-muted">{words.goesTo(new URL(details.redirect_uri).host)}</p>
          }
        >
          <Rights details={details} />
          <FormFailure failure={failure} />
          <Answers busy={busy} isOnline={isOnline} onAnswer={(what) => void answer(what)} />
        </EntryPage>
      )
    }
    default:
      return asked satisfies never
  }
}

type Answer = 'approve' | 'deny'

interface Consent {
  readonly asked: Asked
  /** The answer being sent. */
  readonly busy: Answer | undefined
  readonly failure: AuthFailure | undefined
  answer(what: Answer): Promise<void>
}

/** The authorization request in the URL, and the user's answer. */
function useConsent(isOnline: boolean): Consent {
  const { config, client } = useBackend()
  const { oauth } = client.supabase.auth
  const { authorization_id: id = '' } = useSearch({ strict: false })
  const [asked, setAsked] = useState<Asked>({ kind: 'loading' })
  const [busy, setBusy] = useState<Answer>()
  const [failure, setFailure] = useState<AuthFailure>()
  const project = config.project.name

  // Each URL has one request.
  useEffect(() => {
    let isOver = false
    const ask = async (): Promise<void> => {
      const { data, error } = await oauth.getAuthorizationDetails(id)
      if (isOver) return
      if (error) {
        setAsked(isGone(error) ? { kind: 'gone' } : { kind: 'failed', failure: classifyAuthError(error, project) })
      } else if ('client' in data) {
        setAsked({ kind: 'question', details: data })
      } else {
        // Already answered, so there is nothing to ask.
        location.assign(data.redirect_url)
      }
    }
    if (isOnline) void ask()
    return () => {
      isOver = true
    }
  }, [id, isOnline, oauth, project])

  return {
    asked,
    busy,
    failure,
    async answer(what) {
      setBusy(what)
      setFailure(undefined)
      const options = { skipBrowserRedirect: true }
      const { data, error } =
        what === 'approve' ? await oauth.approveAuthorization(id, options) : await oauth.denyAuthorization(id, options)
      if (data) {
        // The browser navigates away; the button stays busy until then.
        location.assign(data.redirect_url)
        return
      }
      setBusy(undefined)
      if (isGone(error)) setAsked({ kind: 'gone' })
      else setFailure(classifyAuthError(error, project))
    },
  }
}

/** What the app may do for the user. */
function Rights({ details }: { readonly details: OAuthAuthorizationDetails }): JSX.Element {
  const scopes = details.scope.split(' ').filter((scope) => scope !== '')
  return (
    <div className="flex items-start gap-3">
      <Avatar name={details.client.name} />
      <div className="flex min-w-0 flex-col gap-2">
        {scopes.length === 0 ? null : (
          <>
            <p className="font-medium">{words.may}</p>
            <ul className="flex list-disc flex-col gap-1 pl-5">
              {scopes.map((scope) => (
                <li key={scope}>{words.scope(scope)}</li>
              ))}
            </ul>
          </>
        )}
        <p className="text-small text-muted">{words.anything}</p>
      </div>
    </div>
  )
}

function Answers({
  busy,
  isOnline,
  onAnswer,
}: {
  readonly busy: Answer | undefined
  readonly isOnline: boolean
  readonly onAnswer: (what: Answer) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-2">
      <Button
        tone="primary"
        isFullWidth
        isPending={busy === 'approve'}
        isDisabled={busy === 'deny' || !isOnline}
        onPress={() => onAnswer('approve')}
      >
        {words.approve}
      </Button>
      <Button
        isFullWidth
        isPending={busy === 'deny'}
        isDisabled={busy === 'approve' || !isOnline}
        onPress={() => onAnswer('deny')}
      >
        {words.deny}
      </Button>
    </div>
  )
}

/** Whether the server does not, or no longer, know the request; false for network failures. */
function isGone(error: unknown): boolean {
  return error instanceof AuthApiError && error.status >= 400 && error.status < 500 && error.status !== 429
}
