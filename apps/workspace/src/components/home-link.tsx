import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { errorMessages } from '../messages/errors.ts'
import { LinkButton } from './link.tsx'

/** A way on from a screen that has nothing for the user. */
export function HomeLink(): JSX.Element {
  const { ws } = useParams({ strict: false })
  return ws === undefined ? (
    <LinkButton to="/">{errorMessages.goHome}</LinkButton>
  ) : (
    <LinkButton to="/w/$ws" params={{ ws }}>
      {errorMessages.goHome}
    </LinkButton>
  )
}
