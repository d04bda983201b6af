import { useHasSynced } from '@holdfast/react'
import type { JSX } from 'react'
import { firstVisitMs, lazyAfterPaint } from '../late-content.tsx'

const Loaded = lazyAfterPaint<{ readonly topic: string | undefined }>(
  async () => (await import('./people-here.tsx')).PeopleHere,
  firstVisitMs,
)

/** {@link PeopleHere}, loaded after the screen and the first sync, to leave them the bandwidth. */
export function LatePeopleHere({ topic }: { readonly topic: string | undefined }): JSX.Element | null {
  return useHasSynced() ? <Loaded topic={topic} /> : null
}
