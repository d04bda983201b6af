import { createRootRouteWithContext } from '@tanstack/react-router'
import * as v from 'valibot'
import { FirstFrame } from '../components/frame.tsx'
import type { Backend } from '../lib/data/backend.ts'
import { CrashPage } from './error-boundary.tsx'
import { NotFoundPage } from './not-found-screen.tsx'
import { RootLayout } from './root-layout.tsx'

/** Context for guards, set once the server's settings are known. */
export interface RouterContext {
  readonly backend: Backend
}

/** A text search parameter; other values count as absent. */
export const text = v.fallback(v.optional(v.pipe(v.string(), v.maxLength(2_000))), undefined)

export const root = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  pendingComponent: FirstFrame,
  errorComponent: CrashPage,
  notFoundComponent: NotFoundPage,
})
