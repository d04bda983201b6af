import type { JSX } from 'react'
import { Button, Checkbox } from '@holdfast/workspace'
import type { TableColumn } from '../../components/data-table.tsx'
import { formatCount } from '../../lib/format.ts'
import { lastSegmentOf } from './file-names.ts'

/** Files deleted at once, as the server allows. */
const CHOSEN_MAX = 100

/** Chooses all listed files, and deletes the chosen ones. */
export function FileSelection({
  keys,
  chosen,
  onChoose,
  onDelete,
}: {
  readonly keys: readonly string[]
  readonly chosen: readonly string[]
  readonly onChoose: (keys: readonly string[]) => void
  readonly onDelete: () => void
}): JSX.Element | null {
  if (keys.length === 0) return null
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-3">
      <Checkbox
        isSelected={chosen.length > 0}
        isIndeterminate={chosen.length > 0 && chosen.length < Math.min(keys.length, CHOSEN_MAX)}
        onChange={(isOn) => onChoose(isOn ? keys.slice(0, CHOSEN_MAX) : [])}
      >
        {chosen.length === 0 ? 'Choose files' : `${formatCount(chosen.length)} chosen`}
      </Checkbox>
      {chosen.length > 0 ? (
        <Button size="sm" onPress={onDelete}>
          Delete…
        </Button>
      ) : null}
    </div>
  )
}

/** Returns the column with a checkbox for each file. */
export function selectionColumn<Entry extends { readonly key: string; readonly isFolder: boolean }>(
  chosen: readonly string[],
  onChoose: (keys: readonly string[]) => void,
): TableColumn<Entry> {
  return {
    id: 'chosen',
    label: 'Chosen',
    cell: ({ key, isFolder }) =>
      isFolder ? null : (
        <Checkbox
          aria-label={`Choose ${lastSegmentOf(key)}`}
          isSelected={chosen.includes(key)}
          isDisabled={chosen.length >= CHOSEN_MAX && !chosen.includes(key)}
          onChange={(isOn) => onChoose(isOn ? [...chosen, key] : chosen.filter((one) => one !== key))}
        />
      ),
  }
}
