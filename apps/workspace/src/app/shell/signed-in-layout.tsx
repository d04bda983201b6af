import { Outlet } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Shell } from './shell.tsx'

/** The shell around every screen that needs an account. */
export function SignedInLayout(): JSX.Element {
  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}
