import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { menuMessages as words } from '../../../messages/grid-menu.ts'
import { COLUMN_MAX_PX, COLUMN_MIN_PX } from '../dress/view-looks.ts'

/** Asks for the width of a column in pixels. */
export function WidthForm({
  width,
  onWidth,
}: {
  readonly width: number
  /** @param width - `undefined`: the automatic one */
  readonly onWidth: (width: number | undefined) => void
}): JSX.Element {
  const [text, setText] = useState(String(width))
  const typed = Number(text)
  const isValid = Number.isInteger(typed) && typed >= COLUMN_MIN_PX && typed <= COLUMN_MAX_PX
  return (
    <form
      className="flex w-56 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid) onWidth(typed)
      }}
    >
      <TextField
        label={words.widthOf}
        inputMode="numeric"
        autoFocus
        value={text}
        onChange={setText}
        {...(isValid ? {} : { errorMessage: words.widthLimits(COLUMN_MIN_PX, COLUMN_MAX_PX) })}
      />
      <div className="flex gap-2">
        <Button type="submit" tone="primary" size="sm">
          {words.apply}
        </Button>
        <Button size="sm" onPress={() => onWidth(undefined)}>
          {words.automatic}
        </Button>
      </div>
    </form>
  )
}
