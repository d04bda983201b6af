import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react'
import * as v from 'valibot'
import { localValue } from '../../lib/local-value.ts'

const lastPlace = localValue('hf-home-place', v.object({ width: v.number(), height: v.number() }))
/** Pixels, before anything is known. */
const FIRST_HEIGHT = 320

/**
 * A place that is as high as its content was the last time, until the content has been read: nothing below it moves when it comes.
 *
 * @param props.children - is given what to call once the content has what it shows
 */
export function KeptPlace({ children }: { readonly children: (onRead: () => void) => ReactNode }): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const [isRead, setRead] = useState(false)
  const [minHeight] = useState(heightOfLast)
  // The size of what is drawn is outside of React.
  useEffect(() => {
    const element = place.current
    if (!isRead || !element) return
    const sizes = new ResizeObserver(() =>
      lastPlace.write({ width: window.innerWidth, height: Math.round(element.offsetHeight) }),
    )
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [isRead])
  return (
    <div ref={place} style={isRead ? undefined : { minHeight }}>
      {children(() => setRead(true))}
    </div>
  )
}

/** Columns change with the width, and the height with them. */
function heightOfLast(): number {
  const last = lastPlace.read()
  return last?.width === window.innerWidth ? last.height : FIRST_HEIGHT
}
