import type { JSX } from 'react'
import { lateContent, type LateContent } from '../../components/late-content.tsx'
import type { ViewType } from '../../lib/views/use-views.ts'
import type { KindProps } from './kind-props.ts'

/** Kinds of views, each loaded when the first view of that kind opens. The grid is part of the screen, the form another feature. */
const KINDS: Readonly<Record<Exclude<ViewType, 'grid' | 'form'>, LateContent<KindProps>>> = {
  board: lateContent(async () => (await import('./board/board-view.tsx')).BoardView),
  calendar: lateContent(async () => (await import('./calendar/calendar-view.tsx')).CalendarView),
  gallery: lateContent(async () => (await import('./gallery/gallery-view.tsx')).GalleryView),
  map: lateContent(async () => (await import('./map/map-view.tsx')).MapView),
}

/** What shows a view in place of the grid. */
export function KindView({ type, ...props }: KindProps & { readonly type: keyof typeof KINDS }): JSX.Element {
  const { Content } = KINDS[type]
  return <Content key={type} {...props} />
}
