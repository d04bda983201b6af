import { LocateFixed } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import type { FindingDraft } from '../../../lib/checklists/run-draft.ts'
import { formatMetres } from '../../../lib/format.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'

/** Timeout in ms. Receivers are slow under a roof, but a user does not wait longer. */
const LOCATE_MS = 20_000

/** This device's position with its accuracy, requested only on a press. */
export function OwnPosition({
  position,
  onChange,
}: {
  readonly position: FindingDraft['position']
  readonly onChange: (position: FindingDraft['position']) => void
}): JSX.Element | null {
  const [standing, setStanding] = useState<'idle' | 'looking' | 'denied' | 'unavailable'>('idle')
  if (!('geolocation' in navigator)) return null
  const locate = (): void => {
    setStanding('looking')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) => {
        setStanding('idle')
        onChange({ lat: latitude, lon: longitude, metres: accuracy })
      },
      ({ code, PERMISSION_DENIED }) => setStanding(code === PERMISSION_DENIED ? 'denied' : 'unavailable'),
      { enableHighAccuracy: true, timeout: LOCATE_MS, maximumAge: 0 },
    )
  }
  return (
    <div className="flex flex-col gap-1">
      <Button
        isFullWidth
        className="h-14"
        isPending={standing === 'looking'}
        icon={<LocateFixed size={20} aria-hidden />}
        onPress={locate}
      >
        {position ? words.locateAgain : words.locate}
      </Button>
      <p role="status" className="min-h-6 text-body text-muted">
        {standing === 'denied' || standing === 'unavailable'
          ? words.notLocated[standing]
          : position
            ? words.located(position.lat.toFixed(5), position.lon.toFixed(5), formatMetres(position.metres))
            : null}
      </p>
    </div>
  )
}
