import { LocateFixed, ScanLine, X } from 'lucide-react'
import { type JSX, useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { fieldLabelClass } from '../../components/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import { storedPlace } from '../../lib/fields/field-formats.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { formatMetres } from '../../lib/format.ts'
import { fieldFormatMessages as words } from '../../messages/field-formats.ts'
import { LabelScanner } from './checklist/label-scanner.tsx'
import type { CommitValue } from './commit-value.ts'

interface FormatInputProps {
  readonly field: Field
  readonly value: FieldValue
  readonly label: string
  readonly description: string | undefined
  readonly problem: string | undefined
  readonly onCommit: CommitValue
}

/** Stars: arrow keys move between them, as in any group of radio buttons. */
export function RatingInput({ field, value, label, description, problem, onCommit }: FormatInputProps): JSX.Element {
  const name = useId()
  const format = field.format?.format
  const max = format?.kind === 'rating' ? format.max : 5
  const rated = Number(value ?? 0)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className={cx(fieldLabelClass, 'pb-1.5')}>{label}</legend>
      <div className="flex flex-wrap items-center">
        {Array.from({ length: max }, (_, at) => at + 1).map((star) => (
          <label
            key={star}
            className={cx(
              'flex size-8 cursor-pointer items-center justify-center rounded-sm text-display hover:bg-hover coarse:size-11',
              'has-focus-visible:outline-2 has-focus-visible:outline-focus',
              star <= rated ? 'text-amber' : 'text-subtle',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              aria-label={words.rating(String(star), max)}
              checked={star === rated}
              onChange={() => void onCommit(star)}
            />
            <span aria-hidden>{star <= rated ? '\u2605' : '\u2606'}</span>
          </label>
        ))}
        {rated > 0 && field.column.nullable ? (
          <IconButton
            label={words.clearRating}
            icon={<X size={16} aria-hidden />}
            onPress={() => void onCommit(null)}
          />
        ) : null}
      </div>
      {description === undefined ? null : <p className="text-small text-muted print:hidden">{description}</p>}
      {problem === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

type Standing = 'idle' | 'looking' | 'denied' | 'unavailable' | { readonly metres: number }

/** Time in ms to wait for a position, as receivers are slow under a roof. */
const LOCATE_MS = 20_000

/** Fills a location with this device's position, requested only on a press. */
export function LocateButton({
  onLocate,
}: {
  /** Gets the stored form of the position. */
  readonly onLocate: (place: string) => void
}): JSX.Element | null {
  const [standing, setStanding] = useState<Standing>('idle')
  if (!('geolocation' in navigator)) return null
  const locate = (): void => {
    setStanding('looking')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) => {
        setStanding({ metres: accuracy })
        onLocate(storedPlace(latitude, longitude))
      },
      ({ code, PERMISSION_DENIED }) => setStanding(code === PERMISSION_DENIED ? 'denied' : 'unavailable'),
      { enableHighAccuracy: true, timeout: LOCATE_MS, maximumAge: 0 },
    )
  }
  const isTold = standing === 'denied' || standing === 'unavailable'
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-2 print:hidden">
      <Button
        size="sm"
        isPending={standing === 'looking'}
        icon={<LocateFixed size={14} aria-hidden />}
        onPress={locate}
      >
        {words.locate}
      </Button>
      <span role="status" className="text-small text-muted">
        {typeof standing === 'object'
          ? words.located(formatMetres(standing.metres))
          : isTold
            ? words.notLocated[standing]
            : null}
      </span>
    </div>
  )
}

/** Fills a barcode from the camera or a photo. */
export function ScanButton({
  field,
  onCommit,
}: {
  readonly field: Field
  readonly onCommit: CommitValue
}): JSX.Element {
  const [isScanning, setScanning] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (isScanning) {
    return (
      <LabelScanner
        onRead={(text) => {
          setScanning(false)
          const parsed = parseValue(field, text)
          setProblem(parsed.isValid ? undefined : parsed.message)
          if (parsed.isValid) void onCommit(parsed.value)
        }}
        onClose={() => setScanning(false)}
      />
    )
  }
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-2 print:hidden">
      <Button size="sm" icon={<ScanLine size={14} aria-hidden />} onPress={() => setScanning(true)}>
        {words.scan}
      </Button>
      {problem === undefined ? null : (
        <span role="alert" className="text-small text-danger">
          {problem}
        </span>
      )}
    </div>
  )
}
