import type { JSX } from 'react'
import { lateContent, type LateContent } from '../../components/late-content.tsx'
import type { ViewType } from '../../lib/views/use-views.ts'
import type { KindProps } from './kind-props.ts'

/** Content per view type, loaded when a view of that type first opens. The grid belongs to the screen, the form to another feature. */
const KINDS: Readonly<Record<Exclude<ViewType, 'grid' | 'form'>, LateContent<KindProps>>> = {
  board: lateContent(async () => (await import('./board/board-view.tsx')).BoardView),
  calendar: lateContent(async () => (await import('./calendar/calendar-view.tsx')).CalendarView),
  gallery: lateContent(async () => (await import('./gallery/gallery-view.tsx')).GalleryView),
  map: lateContent(async () => (await import('./map/map-view.tsx')).MapView),
}

/** Renders a view that is not a grid. */
export function KindView({ type, ...props }: KindProps & { readonly type: keyof typeof KINDS }): JSX.Element {
  const { Content } = KINDS[type]
  return <Content key={type} {...props} />
}
