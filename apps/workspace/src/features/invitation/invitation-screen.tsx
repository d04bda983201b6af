import { useSession } from '@holdfast/react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type JSX, type ReactNode, useCallback, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { pageLocale } from '../../lib/language.ts'
import { invitationMessages as words } from '../../messages/invitation.ts'
import { answerInvitation, type Invitation, type Outcome, peekInvitation } from './invitation-calls.ts'
import { JoinForm } from './join-form.tsx'
import { RequestForm } from './request-form.tsx'

type Seen =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: AuthFailure }
  | { readonly kind: 'seen'; readonly invitation: Invitation }
  | { readonly kind: 'answered'; readonly outcome: Outcome }

/** Target of an invitation mail: shows the invitation and lets the user join, with or without an account. */
export function InvitationScreen(): JSX.Element {
  const backend = useBackend()
  const { secret = '' } = useParams({ strict: false })
  const isOnline = useOnline()
  const navigate = useNavigate()
  const [seen, setSeen] = useState<Seen>({ kind: 'loading' })
  const project = backend.config.project.name

  const look = useCallback(
    () =>
      peekInvitation(backend, secret).then(
        (invitation) => setSeen({ kind: 'seen', invitation }),
        (error: unknown) => {
          const failure = classifyAuthError(error, project)
          // Keeps the current screen, because a form may be filled in.
          setSeen((now) => (now.kind === 'loading' || now.kind === 'failed' ? { kind: 'failed', failure } : now))
          throw error
        },
      ),
    [backend, secret, project],
  )
  // The network is outside React.
  useEffect(() => {
    if (isOnline) look().catch(() => undefined)
  }, [isOnline, look])

  const offline = isOnline ? undefined : words.offline
  const finish = (outcome: Outcome): void => {
    if (outcome === 'accepted') void navigate({ to: '/w', replace: true })
    else setSeen({ kind: 'answered', outcome })
  }
  if (seen.kind === 'loading')
    return (
      <EntryPage project={project} title={words.loading} offline={offline}>
        <Skeleton rows={4} />
      </EntryPage>
    )
  if (seen.kind === 'failed')
    return (
      <EntryPage project={project} title={words.failed} offline={offline}>
        <FormFailure failure={seen.failure} />
        <Button isDisabled={!isOnline} onPress={() => void look().catch(() => undefined)}>
          {words.tryAgain}
        </Button>
        <LinkButton to="/">{words.home}</LinkButton>
      </EntryPage>
    )
  const ending = endingOf(seen)
  if (ending !== undefined)
    return (
      <EntryPage project={project} title={ending.title} lead={ending.lead}>
        <LinkButton to="/" tone="primary">
          {words.home}
        </LinkButton>
      </EntryPage>
    )
  const { invitation } = seen as Extract<Seen, { kind: 'seen' }>
  return (
    <EntryPage
      project={project}
      title={words.title(invitation.workspace ?? project)}
      lead={invitation.inviter ? words.from(invitation.inviter) : words.fromNobody}
      offline={offline}
    >
      <Offer invitation={invitation} />
      <Answer invitation={invitation} secret={secret} onOutcome={finish} onChanged={look} />
    </EntryPage>
  )
}

/** Describes an invitation that can no longer be answered; `undefined` if it can. */
function endingOf(seen: Seen): { readonly title: string; readonly lead: ReactNode } | undefined {
  if (seen.kind === 'answered') return ENDINGS[seen.outcome](undefined)
  if (seen.kind !== 'seen' || seen.invitation.state === 'pending') return undefined
  const { state, inviter } = seen.invitation
  if (state === 'used_up') return { title: words.usedUp, lead: words.over(inviter ?? undefined) }
  return ENDINGS[state === 'accepted' ? 'used' : state](inviter ?? undefined)
}

type Ending = (inviter: string | undefined) => { readonly title: string; readonly lead: string | undefined }

/** Evaluated while rendering, because the language is not known earlier. */
const ENDINGS: Readonly<Record<Outcome, Ending>> = {
  accepted: () => ({ title: words.used, lead: words.usedDetail }),
  used: () => ({ title: words.used, lead: words.usedDetail }),
  declined: () => ({ title: words.declined, lead: undefined }),
  expired: (inviter) => ({ title: words.expired, lead: words.over(inviter) }),
  revoked: (inviter) => ({ title: words.revoked, lead: words.over(inviter) }),
  not_found: () => ({ title: words.gone, lead: words.goneDetail }),
  wrong_account: () => ({ title: words.otherAccount, lead: words.otherAccountDetail }),
  unconfirmed: () => ({ title: words.unconfirmed, lead: words.unconfirmedDetail }),
  full: () => ({ title: words.full, lead: words.fullDetail }),
  too_many: () => ({ title: words.tooMany, lead: words.tooManyDetail }),
}

function Offer({ invitation }: { readonly invitation: Invitation }): JSX.Element {
  const { role = '', team, message, access_until: until } = invitation
  return (
    <div className="flex flex-col gap-2">
      {message ? (
        <blockquote className="border-l-2 border-border pl-3 whitespace-pre-line">{message}</blockquote>
      ) : null}
      <p>{words.as(role)}</p>
      {team ? <p className="text-muted">{words.team(team)}</p> : null}
      {until ? (
        <p className="text-muted">
          {words.until(new Date(until).toLocaleDateString(pageLocale(), { dateStyle: 'long' }))}
        </p>
      ) : null}
    </div>
  )
}

/** The next step for the current user: joining, signing in or creating an account. */
function Answer({
  invitation,
  secret,
  onOutcome,
  onChanged,
}: {
  readonly invitation: Invitation
  readonly secret: string
  readonly onOutcome: (outcome: Outcome) => void
  readonly onChanged: () => Promise<void>
}): JSX.Element {
  const session = useSession()
  const { hasMail } = useBackend().config
  const email = invitation.email ?? ''
  if (session.kind === 'active') {
    const own = session.user.email ?? session.user.id
    if (invitation.is_link === true) return <Decision secret={secret} onOutcome={onOutcome} />
    if (own.toLowerCase() === email) return <Decision secret={secret} onOutcome={onOutcome} />
    return (
      <Notice
        tone="warning"
        title={words.wrongAccount(own)}
        actions={
          <LinkButton size="sm" to="/account">
            {words.toAccount}
          </LinkButton>
        }
      >
        {words.wrongAccountDetail(email)}
      </Notice>
    )
  }
  if (invitation.is_link === true)
    return (
      <>
        {hasMail ? (
          <RequestForm secret={secret} />
        ) : (
          <JoinForm secret={secret} email={undefined} onOutcome={onOutcome} onChanged={onChanged} />
        )}
        <LinkButton to="/sign-in" search={{ redirect: `/invite/${secret}` }}>
          {words.haveAccount}
        </LinkButton>
      </>
    )
  if (invitation.has_account === true)
    return (
      <>
        <p className="text-small text-muted">{words.forAddress(email)}</p>
        <LinkButton to="/sign-in" tone="primary" search={{ redirect: `/invite/${secret}`, email }}>
          {words.signIn}
        </LinkButton>
      </>
    )
  return <JoinForm secret={secret} email={email} onOutcome={onOutcome} onChanged={onChanged} />
}

/** The answer of a user signed in with the invited address. */
function Decision({
  secret,
  onOutcome,
}: {
  readonly secret: string
  readonly onOutcome: (outcome: Outcome) => void
}): JSX.Element {
  const backend = useBackend()
  const isOnline = useOnline()
  const [busy, setBusy] = useState<'accept' | 'decline'>()
  const [failure, setFailure] = useState<AuthFailure>()
  const answer = async (what: 'accept' | 'decline'): Promise<void> => {
    setBusy(what)
    setFailure(undefined)
    try {
      onOutcome(await answerInvitation(backend, secret, what === 'accept'))
    } catch (error) {
      setFailure(classifyAuthError(error, backend.config.project.name))
    } finally {
      setBusy(undefined)
    }
  }
  const button = (what: 'accept' | 'decline', tone: 'primary' | 'secondary'): JSX.Element => (
    <Button
      tone={tone}
      isFullWidth
      isPending={busy === what}
      isDisabled={!isOnline || (busy !== undefined && busy !== what)}
      onPress={() => void answer(what)}
    >
      {words[what]}
    </Button>
  )
  return (
    <div className="flex flex-col gap-2">
      <FormFailure failure={failure} />
      {button('accept', 'primary')}
      {button('decline', 'secondary')}
    </div>
  )
}
