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

/** Another app wants to act for the person here: who it is, what it may, and the answer. */
export function OAuthConsentScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { oauth } = client.supabase.auth
  const { authorization_id: id = '' } = useSearch({ strict: false })
  const isOnline = useOnline()
  const [asked, setAsked] = useState<Asked>({ kind: 'loading' })
  const [busy, setBusy] = useState<'approve' | 'deny'>()
  const [failure, setFailure] = useState<AuthFailure>()
  const project = config.project.name

  // One question per address.
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
        // Answered before: nothing to ask.
        location.assign(data.redirect_url)
      }
    }
    if (isOnline) void ask()
    return () => {
      isOver = true
    }
  }, [id, isOnline, oauth, project])

  const answer = async (what: 'approve' | 'deny'): Promise<void> => {
    setBusy(what)
    setFailure(undefined)
    const options = { skipBrowserRedirect: true }
    const { data, error } =
      what === 'approve' ? await oauth.approveAuthorization(id, options) : await oauth.denyAuthorization(id, options)
    if (data) {
      // The page leaves; the button stays busy until then.
      location.assign(data.redirect_url)
      return
    }
    setBusy(undefined)
    if (isGone(error)) setAsked({ kind: 'gone' })
    else setFailure(classifyAuthError(error, project))
  }

  if (asked.kind === 'gone') {
    return (
      <EntryPage project={project} title={words.gone} lead={words.goneDetail}>
        <LinkButton to="/" tone="primary">
          {words.home}
        </LinkButton>
      </EntryPage>
    )
  }
  if (asked.kind === 'failed') {
    return (
      <EntryPage project={project} title={words.loading}>
        <FormFailure failure={asked.failure} />
        <LinkButton to="/">{words.home}</LinkButton>
      </EntryPage>
    )
  }
  if (asked.kind === 'loading') {
    return (
      <EntryPage project={project} title={words.loading} offline={isOnline ? undefined : words.offline}>
        <Skeleton rows={4} />
      </EntryPage>
    )
  }
  const { details } = asked
  const scopes = details.scope.split(' ').filter((scope) => scope !== '')
  return (
    <EntryPage
      project={project}
      title={words.title(details.client.name)}
      lead={words.as(details.user.email)}
      offline={isOnline ? undefined : words.offline}
      below={<p className="text-center text-small text-muted">{words.goesTo(new URL(details.redirect_uri).host)}</p>}
    >
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
      <FormFailure failure={failure} />
      <div className="flex flex-col gap-2">
        <Button
          tone="primary"
          isFullWidth
          isPending={busy === 'approve'}
          isDisabled={busy === 'deny' || !isOnline}
          onPress={() => void answer('approve')}
        >
          {words.approve}
        </Button>
        <Button
          isFullWidth
          isPending={busy === 'deny'}
          isDisabled={busy === 'approve' || !isOnline}
          onPress={() => void answer('deny')}
        >
          {words.deny}
        </Button>
      </div>
    </EntryPage>
  )
}

/** The server knows no such question, or no longer; a failure to reach it is something else. */
function isGone(error: unknown): boolean {
  return error instanceof AuthApiError && error.status >= 400 && error.status < 500 && error.status !== 429
}
