import type { JSX } from 'react'
import { ProgressBar } from 'react-aria-components/ProgressBar'
import { Label } from 'react-aria-components/Label'

/**
 * A progress bar with text.
 *
 * @param value - 0 to `total`
 * @param valueText - such as "12,480 of 35,120 rows"
 */
export function Progress({
  label,
  value,
  total,
  valueText,
}: {
  readonly label: string
  readonly value: number
  readonly total: number
  readonly valueText: string
}): JSX.Element {
  return (
    <ProgressBar value={value} maxValue={Math.max(total, 1)} valueLabel={valueText} className="flex flex-col gap-2">
      {({ percentage = 0 }) => (
        <>
          <div className="flex flex-wrap justify-between gap-x-4 text-small">
            <Label className="font-medium text-text">{label}</Label>
            <span className="text-muted tabular-nums">{valueText}</span>
          </div>
          <div className="h-1.5 overflow-hidden rounded-full bg-sunken forced:border">
            <div
              className="h-full origin-left rounded-full bg-accent transition-transform forced:bg-[Highlight]"
              style={{ transform: `scaleX(${percentage / 100})` }}
            />
          </div>
        </>
      )}
    </ProgressBar>
  )
}
