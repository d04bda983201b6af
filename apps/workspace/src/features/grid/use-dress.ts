import { useEffect, useMemo, useState } from 'react'
import type { Setting } from '../../lib/views/view-settings.ts'
import type { dressing } from './dress/dress.ts'
import type { GridDress } from './grid-dress.ts'
import type { GridView } from './use-grid-view.ts'

type Dressing = typeof dressing

/** Settings that only some views have. */
const SETTINGS: readonly Setting[] = ['group', 'color', 'order', 'width', 'freeze', 'height']

let loaded: Dressing | undefined

/**
 * Returns the view with its settings applied. The required code loads with the first view that has such settings.
 *
 * @param isGrid - other view types have no such settings
 * @returns `isWaiting`: the code is loading, so the view is not known yet
 */
export function useDress(
  plain: GridView,
  isGrid: boolean,
): { readonly view: GridView; readonly dress: GridDress | undefined; readonly isWaiting: boolean } {
  const [code, setCode] = useState(loaded)
  const [hasFailed, setFailed] = useState(false)
  const { settings, query, shown } = plain
  const isWanted = isGrid && SETTINGS.some((setting) => settings[setting] !== undefined)
  // The network is outside React.
  useEffect(() => {
    if (!isWanted || code) return
    let isOver = false
    import('./dress/dress.ts').then(
      (module) => {
        loaded = module.dressing
        if (!isOver) setCode(loaded)
      },
      (error: unknown) => {
        console.warn('The view is shown without its groups and looks.', error)
        if (!isOver) setFailed(true)
      },
    )
    return () => void (isOver = true)
  }, [isWanted, code])
  const used = isWanted ? code : undefined
  const { group, aggregate, color, order, width, freeze, height } = settings
  const dressed = useMemo(
    () => used?.query(query, { group, aggregate, color }) ?? query,
    [used, query, group, aggregate, color],
  )
  const ordered = useMemo(() => used?.fields(shown, order) ?? shown, [used, shown, order])
  const dress = useMemo(
    () => used?.grid(query, { color, width, freeze, height }),
    [used, query, color, width, freeze, height],
  )
  const shape = useMemo(() => ({ ...plain.shape, query: dressed, shown: ordered }), [plain.shape, dressed, ordered])
  return { view: { ...shape, record: plain.record, shape }, dress, isWaiting: isWanted && !code && !hasFailed }
}
