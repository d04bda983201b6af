import { RouterProvider } from '@tanstack/react-router'
import type { JSX } from 'react'
import { router } from './router.tsx'
import { SessionGate } from './session-gate.tsx'

/** The screens, for operators. */
export function App(): JSX.Element {
  return (
    <SessionGate>
      <RouterProvider router={router} />
    </SessionGate>
  )
}
