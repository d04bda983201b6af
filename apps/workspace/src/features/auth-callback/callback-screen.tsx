import { useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { LinkButton } from '../../components/link.tsx'
import { type Arrival, useArrival } from '../../lib/auth/arrival.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { authCallbackMessages as words } from '../../messages/auth-callback.ts'
import { FailedArrival } from './failed-arrival.tsx'
import { TakingUp } from './taking-up.tsx'

/** Target of links in mails and of providers. Their parameters were removed from the URL at startup. */
export function CallbackScreen(): JSX.Element {
  const arrival = useArrival((state) => state.arrival)
  const { flow } = useSearch({ strict: false })
  const [isAccepted, setAccepted] = useState(false)

  if (!arrival) return <Nothing />
  switch (arrival.kind) {
    case 'error':
      return <FailedArrival code={arrival.code} description={arrival.description} />
    case 'message':
      return <HalfChanged />
    case 'tokens':
      // A link with a session signs in whoever opens it, so its author could have chosen the account.
      if (!isAccepted) return <Question arrival={arrival} onAccept={() => setAccepted(true)} />
      return <TakingUp arrival={arrival} flow={flow} />
    case 'code':
      return <TakingUp arrival={arrival} flow={flow} />
    default:
      return arrival satisfies never
  }
}

function Question({
  arrival,
  onAccept,
}: {
  readonly arrival: Extract<Arrival, { kind: 'tokens' }>
  readonly onAccept: () => void
}): JSX.Element {
  const { config } = useBackend()
  const isInvite = arrival.type === 'invite'
  return (
    <EntryPage
      project={config.project.name}
      title={isInvite ? words.inviteTitle : words.continueAs}
      lead={isInvite ? words.inviteDetail : words.continueAsDetail}
    >
      <Button tone="primary" isFullWidth autoFocus onPress={onAccept}>
        {isInvite ? words.inviteSubmit : words.continueSubmit}
      </Button>
    </EntryPage>
  )
}

function HalfChanged(): JSX.Element {
  const { config } = useBackend()
  return (
    <EntryPage project={config.project.name} title={words.halfChanged} lead={words.halfChangedDetail}>
      <LinkButton to="/" tone="primary">
        {words.goOn}
      </LinkButton>
    </EntryPage>
  )
}

function Nothing(): JSX.Element {
  const { config } = useBackend()
  return (
    <EntryPage project={config.project.name} title={words.nothing} lead={words.nothingDetail}>
      <LinkButton to="/" tone="primary">
        {words.goOn}
      </LinkButton>
    </EntryPage>
  )
}
