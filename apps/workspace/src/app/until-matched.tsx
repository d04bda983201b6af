import { useRouterState } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { FirstFrame } from '../components/frame.tsx'

/** The frame of the app until the first route is there: its guard reads the session, its screen is a script of its own. */
export function UntilMatched({ children }: { readonly children: ReactNode }): JSX.Element {
  const isMatched = useRouterState({ select: ({ matches }) => matches.length > 0 })
  return (
    <>
      {isMatched ? null : <FirstFrame />}
      {children}
    </>
  )
}
