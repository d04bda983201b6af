import { useState } from 'react'
import { showToast } from '../../../components/toast.tsx'
import { mapMessages as words } from '../../../messages/map.ts'
import type { Place } from '../../../lib/map/projection.ts'

export interface Position extends Place {
  /** Accuracy: maximum distance from the reported position. */
  readonly metres: number
}

const TIMEOUT_MS = 20_000
/** Age in ms up to which a known position is reused. */
const AGE_MS = 30_000

/** Returns this device's position. Requested only on a press, and never sent anywhere. */
export function usePosition(): {
  readonly position: Position | undefined
  readonly isLooking: boolean
  look(then: (position: Position) => void): void
} {
  const [position, setPosition] = useState<Position>()
  const [isLooking, setLooking] = useState(false)
  return {
    position,
    isLooking,
    look(then) {
      if (!('geolocation' in navigator)) return showToast({ text: words.noPosition })
      setLooking(true)
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          const found = { lon: coords.longitude, lat: coords.latitude, metres: coords.accuracy }
          setLooking(false)
          setPosition(found)
          then(found)
        },
        ({ code, PERMISSION_DENIED }) => {
          setLooking(false)
          showToast({ text: code === PERMISSION_DENIED ? words.positionDenied : words.noPosition })
        },
        { enableHighAccuracy: true, timeout: TIMEOUT_MS, maximumAge: AGE_MS },
      )
    },
  }
}
