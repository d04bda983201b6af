import { type JSX, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { cx } from '../../../../lib/cx.ts'
import type { Camera } from '../../../../lib/map/projection.ts'
import { openTileMap, type TileMap } from './open-tile-map.ts'
import type { Background } from './use-background.ts'

/** The operator's tiles as a background below the records. Decorative. */
export function TileGround({
  background,
  style,
  camera,
}: {
  readonly background: Background
  readonly style: string
  readonly camera: Camera
}): JSX.Element {
  const container = useRef<HTMLDivElement>(null)
  const map = useRef<TileMap>(undefined)
  const open = useEffectEvent((element: HTMLElement, address: string): TileMap => {
    background.report('begin')
    background.setAttributions([])
    const { report, setAttributions } = background
    return openTileMap({ container: element, style: address, camera, report, onAttributions: setAttributions })
  })
  // The canvas belongs to another library.
  useEffect(() => {
    if (!container.current) return
    const opened = open(container.current, style)
    map.current = opened
    return () => {
      map.current = undefined
      opened.close()
    }
  }, [style])
  // Runs before the browser paints, so that records and background move together.
  useLayoutEffect(() => map.current?.moveTo(camera), [camera])
  return (
    <div
      aria-hidden
      className={cx(
        'pointer-events-none absolute inset-0 overflow-hidden',
        background.state.phase !== 'shown' && 'invisible',
      )}
    >
      <div ref={container} className="size-full" />
    </div>
  )
}
