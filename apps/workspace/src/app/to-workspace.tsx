import { Navigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useBackend } from '../lib/data/backend-context.tsx'

/** Redirects to the project's only workspace. */
export function ToWorkspace(): JSX.Element {
  const { config } = useBackend()
  return <Navigate to="/w/$ws" params={{ ws: config.project.slug }} replace />
}
