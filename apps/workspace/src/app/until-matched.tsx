import { useRouterState } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { FirstFrame } from '../components/frame.tsx'

/** The app's frame until the first route is ready: its guard reads the session, and its screen loads separately. */
export function UntilMatched({ children }: { readonly children: ReactNode }): JSX.Element {
  const isMatched = useRouterState({ select: ({ matches }) => matches.length > 0 })
  return (
    <>
      {isMatched ? null : <FirstFrame />}
      {children}
    </>
  )
}
