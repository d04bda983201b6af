import { lateContent, type LateContent } from '../../components/late-content.tsx'
import type { ViewType } from '../../lib/views/use-views.ts'
import type { KindProps } from './kind-props.ts'

/** Kinds of views that are loaded when the first view of that kind opens. The grid is part of the screen. */
export const viewKinds: Readonly<Record<Exclude<ViewType, 'grid'>, LateContent<KindProps>>> = {
  board: lateContent(async () => (await import('./board/board-view.tsx')).BoardView),
}
