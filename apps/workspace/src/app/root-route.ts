import { createRootRouteWithContext } from '@tanstack/react-router'
import * as v from 'valibot'
import { FirstFrame } from '../components/frame.tsx'
import type { Backend } from '../lib/data/backend.ts'
import { CrashPage } from './error-boundary.tsx'
import { NotFoundPage } from './not-found-screen.tsx'
import { RootLayout } from './root-layout.tsx'

/** What guards need; given by the app once the server's settings are known. */
export interface RouterContext {
  readonly backend: Backend
}

/** A search parameter that is a text; anything else in its place counts as absent. */
export const text = v.fallback(v.optional(v.pipe(v.string(), v.maxLength(2_000))), undefined)

export const root = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  pendingComponent: FirstFrame,
  errorComponent: CrashPage,
  notFoundComponent: NotFoundPage,
})
