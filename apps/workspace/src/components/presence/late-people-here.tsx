import { lazyAfterPaint } from '../../lib/presence/lazy-after-paint.tsx'

/** {@link PeopleHere}, loaded after the screen. */
export const LatePeopleHere = lazyAfterPaint<{ readonly topic: string | undefined }>(
  async () => (await import('./people-here.tsx')).PeopleHere,
)
