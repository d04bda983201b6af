import { Navigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useBackend } from '../lib/data/backend-context.tsx'

/** A project has one workspace in this version, so the picker goes straight to it. */
export function ToWorkspace(): JSX.Element {
  const { config } = useBackend()
  return <Navigate to="/w/$ws" params={{ ws: config.project.slug }} replace />
}
